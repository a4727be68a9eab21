package approver

import (
	"context"
	"database/sql"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// raiseLife is how long a rise of power may be on its way to a server that is away.
const raiseLife = 24 * time.Hour

// Raised looks for the signature on a rise of power among those that a version of the configuration carries, and uses it
// up in tx; it says whose key it was, or why none holds. One for a version that is in force already, or yet to come, is for something else:
// so nobody can keep one back and bring it after the owner has changed his mind.
func (k *Keys) Raised(ctx context.Context, tx *sql.Tx, kind wire.ChangeKind, body any, cfg wire.Config) (by Proof, why string, err error) {
	want, err := canonical.Of(body)
	if err != nil {
		return Proof{}, "", err
	}
	have, err := k.d.Version(tx)
	if err != nil {
		return Proof{}, "", err
	}
	why = "nobody has signed it"
	for _, c := range cfg.Signed {
		own, err := canonical.JSON(c.Body)
		if err != nil || c.Kind != kind || string(own) != string(want) || c.Version <= have || c.Version > cfg.Version {
			continue
		}
		v, err := k.raised(ctx, tx, c)
		if err != nil || v.why == "" {
			return v.proof(), "", err
		}
		why = v.why
	}
	return Proof{}, why, nil
}

// raised checks one signature.
func (k *Keys) raised(ctx context.Context, tx *sql.Tx, c wire.SignedChange) (verdict, error) {
	now := k.d.Now()
	switch {
	case c.Signature == nil:
		return no("no device that may approve has signed it"), nil
	case c.Signature.Time.After(now.Add(skew)):
		return no("its signature is from the future: a clock is wrong"), nil
	case !c.Signature.Time.After(now.Add(-raiseLife)):
		return no("it was signed more than a day ago; sign it again"), nil
	}
	return k.signed(ctx, tx, change{c.Kind, c.Body, c.Version}, c.Signature, now)
}
