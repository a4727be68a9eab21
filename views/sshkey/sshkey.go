package sshkey

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Path is where the form of the panel goes.
const Path = "/app/server/ssh-key"

// Props is how it stands with the key.
type Props struct {
	Shown       bool   // there is an order
	Fingerprint string // of the key; empty: there is none
	Open        bool   // it can still be changed
	Owner       bool   // the reader may change it

	Typed, Problem string // of a form that was refused
	Again          bool   // Typed was sent before its sender signed in again, and is not kept yet
}

// Field asks for the key.
func Field(ctx context.Context, typed, problem string) ui.Field {
	return ui.Field{
		Name: "admin_key", Label: i18n.T(ctx, "ssh.label"), Hint: i18n.T(ctx, "ssh.hint"), Value: typed, Error: problem,
		Code: true, MaxLength: 4096, Autocomplete: "off",
	}
}
