package approver

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// change is a change of power that a person must have signed.
type change struct {
	kind    wire.ChangeKind
	body    any   // its canonical JSON is signed
	version int64 // of the configuration it belongs to
}

// text is what must have been signed.
func (c change) text(serverID string, at time.Time) (string, error) {
	body, err := canonical.Of(c.body)
	if err != nil {
		return "", fmt.Errorf("text of a change: %w", err)
	}
	return wire.ChangeText(serverID, c.kind, canonical.Sum(body), c.version, at), nil
}

// signed checks a signature over a change and uses it up in tx. Only owners of the business change who has power.
func (k *Keys) signed(ctx context.Context, tx *sql.Tx, c change, s *wire.Signature, now time.Time) (verdict, error) {
	if s == nil {
		return no("no device that may approve has signed it"), nil
	}
	text, err := c.text(k.d.ServerID(), s.Time)
	if err != nil {
		return verdict{}, err
	}
	v, err := k.check(ctx, tx, text, s)
	switch {
	case err != nil || v.why != "":
		return v, err
	case v.key.Holder == wire.HolderMember:
		return no("the key that signed it belongs to a member of the business, who cannot change who has power"), nil
	case v.key.Holder != wire.HolderPerson:
		return no("the key that signed it belongs to staff, who cannot change who has power"), nil
	}
	return v, use(ctx, tx, text, s.KeyID, now)
}
