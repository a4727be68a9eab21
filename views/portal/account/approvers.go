package account

import "time"

// ApproversProps is the keys that may allow on the customer's server.
type ApproversProps struct {
	Server  string     // id, part of what is signed
	Version int64      // of the configuration in force, likewise
	Keys    []KeyProps // of the business
	Staff   []KeyProps // of our staff
	Waiting []WaitingKeyProps
	Next    string // where to go once a key is enrolled
	Folder  string // of the server's state, for the command that prints a code; empty: the usual one
	Problem string
}

// KeyProps is one approver key.
type KeyProps struct {
	ID, Label, Kind string
	Device          bool   // kept by a browser or a passkey, as opposed to a program
	Fingerprint     string // what people compare
	Added           string // how it was added, in words
	Created         time.Time
	Used            time.Time // staff only: when it allowed something last; zero: never
	Revoke          string    // JSON of what is signed to revoke it; empty: the last one stays. That of staff goes unsigned
}
