package account

import (
	"time"

	"gatehouse/views/portal"
)

// SettingsProps is one's own settings.
type SettingsProps struct {
	Email, Name, Business, Role string
	Zone                        string
	SignOutAll                  string
	Confirm                     *portal.ConfirmProps // nil: the reader's address is confirmed
	Tokens                      []TokenProps
	TokenName                   string
	Secret                      string // a token that was just made; shown once
	Problems                    map[string]string
}

// TokenProps is one API token.
type TokenProps struct {
	ID, Name, Hint         string
	Created, Used, Expires time.Time
}
