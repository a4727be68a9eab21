package account

import (
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// SettingsProps is one's own settings.
type SettingsProps struct {
	Email, Name, Business, Role string
	Zone                        string
	Confirm                     *portal.ConfirmProps  // nil: the reader's address is confirmed
	Recovery                    *portal.RecoveryProps // nil: no recovery code waits to be written down
	Tokens                      []ui.AccessKey
	TokenName                   string
	Secret                      string // a token that was just made; shown once
	Problems                    map[string]string
}
