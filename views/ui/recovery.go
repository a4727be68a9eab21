package ui

// Recovery is a recovery code that waits for its browser to show it.
type Recovery struct {
	Server   string // id
	Card     string // the key with which the server signs
	KeyID    string // of the approver key whose browser opens the box
	Box, Sig string // wire.SealedRecovery
	Kept     string // where the script says that the code was written down
}
