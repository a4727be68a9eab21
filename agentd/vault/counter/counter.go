package counter

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change of power and uses it up in tx. It says whose key it was. Its errors that
	// a person may read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Deps is what a Counter stands on.
type Deps struct {
	Vault    *vault.Vault
	DB       *store.DB
	Receipts *receipt.Log
	Signed   Approvers
	Applier  vault.Applier // changes secrets in their services; nil knows none
	ServerID func() string
	Identity func() ed25519.PrivateKey // nil until the server is registered
	Now      func() time.Time
	Log      *slog.Logger
}

// Counter answers people's questions about secrets.
type Counter struct {
	d      Deps
	nonces nonces
}

// New makes a counter.
func New(d Deps) *Counter { return &Counter{d: d, nonces: nonces{now: d.Now, open: map[string]act{}}} }

// shown turns an error into one that a person may read. What is not meant for people is logged, and only named.
func (c *Counter) shown(m wire.Method, err error) error {
	var ready *wire.RPCError
	if errors.As(err, &ready) {
		return ready
	}
	var unusable *vault.UnusableError
	if errors.As(err, &unusable) {
		return &wire.RPCError{Code: "unavailable", Text: unusable.Error()}
	}
	var rebound *vault.ReboundError
	if errors.As(err, &rebound) {
		return &wire.RPCError{Code: "conflict", Text: rebound.Error()}
	}
	for _, known := range []struct {
		err        error
		code, text string
	}{
		{vault.ErrUnknown, "not_found", "Your server has no such credential, version or request."},
		{vault.ErrAnswered, "conflict", "This was answered before."},
		{vault.ErrInvalid, "bad_request", ""},
		{vault.ErrElsewhere, "conflict", "This value is kept in another password store. Change it there. Your server then fetches it by itself."},
		{vault.ErrNoApplier, "conflict", "Your server does not know how to change this credential in its service. Change it there, then enter the new value here."},
		{vault.ErrNotApplied, "conflict", "The service did not take the new value. The old one still holds."},
		{vault.ErrNowhere, "conflict", "None of the places where this credential may be used is at its service, so nothing was sent there. Add that place to the credential first, then rotate it."},
		{vault.ErrUnclear, "unavailable", "It is not known yet whether the service took the new value. Both are kept, and this server asks the service again by itself."},
		{vault.ErrBusy, "unavailable", "This credential is being changed in its service just now. Try again in a moment."},
		{vault.ErrTooMany, "conflict", ""},
		{wire.ErrSealed, "bad_request", "The sealed value does not open: it was made for something else, or changed on its way. Nothing was kept."},
	} {
		if errors.Is(err, known.err) {
			if known.text == "" {
				known.text = sentence(err, known.err)
			}
			return &wire.RPCError{Code: known.code, Text: known.text}
		}
	}
	c.d.Log.Error("question about secrets failed", "method", string(m), "error", err)
	return fmt.Errorf("%s: %w", m, err)
}

// sentence is what the vault says is wrong with what a person gave or asked for: it words that for people, behind the
// kind of error that it is.
func sentence(err, kind error) string {
	_, text, _ := strings.Cut(err.Error(), kind.Error()+": ")
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:] + "."
}

// note puts an act of a person on record.
func (c *Counter) note(tx *sql.Tx, kind, name string, by wire.DecidedBy, more map[string]any) error {
	body := map[string]any{"name": name, "by": by}
	for k, v := range more {
		body[k] = v
	}
	_, err := c.d.Receipts.Append(tx, receipt.Entry{Type: kind, Body: body})
	return err
}

// noting is note for the Write of the act itself: what cannot be put on record does not happen, and what is refused is
// not on record as if it had.
func (c *Counter) noting(kind, name string, by wire.DecidedBy, more map[string]any) vault.Also {
	return func(tx *sql.Tx) error { return c.note(tx, kind, name, by, more) }
}

// who is a person as the audit names one.
func who(by wire.DecidedBy) string {
	name := strings.ToValidUTF8(by.Name[:min(len(by.Name), 200)], "")
	return strings.TrimSpace(by.Role + " " + name)
}
