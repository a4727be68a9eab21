package approver

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/wire"
)

// Change checks the signature of a change of power that another part of agentd carries out, and uses it up in tx. It
// says whose key it was; a refusal is a *wire.RPCError that a person may read.
func (k *Keys) Change(ctx context.Context, tx *sql.Tx, kind wire.ChangeKind, body any, s *wire.Signature) (string, error) {
	by, err := k.Proven(ctx, tx, kind, body, s)
	return by.KeyID, err
}

// Proven is Change that also says what was signed.
func (k *Keys) Proven(ctx context.Context, tx *sql.Tx, kind wire.ChangeKind, body any, s *wire.Signature) (Proof, error) {
	version, err := k.d.Version(tx)
	if err != nil {
		return Proof{}, err
	}
	c := change{kind: kind, body: body, version: version}
	v, err := k.now(ctx, tx, c, s)
	var no refusal
	if errors.As(err, &no) && no == differs && k.outdated(ctx, tx, c, s) {
		no, err = moved, moved
	}
	if errors.As(err, &no) {
		return Proof{}, &wire.RPCError{Code: "signature_required", Text: "Your server refused this: " + no.Error() + "."}
	}
	if err != nil {
		return Proof{}, err
	}
	return v.proof(), nil
}

// differs refuses a signature over another text.
const differs = refusal("its signature does not hold: something differs from what was signed")

// moved refuses what was signed for settings that are no longer in force.
const moved = refusal("the settings have changed meanwhile; reload the page and try again")

// How many versions back, and ahead, a page may look for its settings. It only decides which words a refusal has.
const (
	backOf  = 50
	aheadOf = 3 // the hub keeps a version before it has come here
)

// outdated says whether a signature that does not hold would have held for other settings than those in force: a page that was open
// while they changed is no forgery, and whoever sees it should know what to do.
func (k *Keys) outdated(ctx context.Context, tx *sql.Tx, c change, s *wire.Signature) bool {
	if s == nil {
		return false
	}
	by, err := find(ctx, tx, s.KeyID)
	if err != nil || by == nil {
		return false
	}
	for v := c.version + aheadOf; v > max(c.version-backOf, 0); v-- {
		text, err := change{c.kind, c.body, v}.text(k.d.ServerID(), s.Time)
		if err == nil && holds(k.d.Origin(), by, text, *s) {
			return true
		}
	}
	return false
}
