package agentd

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/wire"
)

// powers verifies who signed what a version of the configuration raises.
type powers struct{ keys *approver.Keys }

// Raise implements config.Powers. While no key is enrolled there is nobody who could sign: then the hub, which proves
// addresses by mail, is believed about the first ones, and about nothing else. With a key that came with the order it is
// believed about the address that ordered, once.
func (p powers) Raise(ctx context.Context, tx *sql.Tx, r config.Raise, cfg wire.Config) (config.Proof, error) {
	if r.Kind == wire.ChangeInside {
		keys, err := approver.List(ctx, tx)
		if err != nil || len(keys) == 0 {
			return config.Proof{}, err
		}
		says := config.Fold(r.Body.(string))
		ordered, err := p.keys.Ordered(ctx, tx, func(address string) bool { return config.Fold(address) == says })
		if err != nil || ordered {
			return config.Proof{}, err
		}
	}
	by, why, err := p.keys.Raised(ctx, tx, r.Kind, r.Body, cfg)
	if err == nil && why != "" {
		err = errors.New(why)
	}
	return config.Proof(by), err
}

// changes verifies who signed a change of the rules.
type changes struct{ keys *approver.Keys }

// VerifyChange implements config.Signers.
func (c changes) VerifyChange(
	ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, _ int64, sig *wire.Signature,
) (config.Proof, error) {
	if sig == nil {
		return config.Proof{}, errors.New("it carries none")
	}
	by, err := c.keys.Proven(ctx, tx, k, body, sig)
	var no *wire.RPCError
	if errors.As(err, &no) {
		err = errors.New(no.Text)
	}
	return config.Proof(by), err
}
