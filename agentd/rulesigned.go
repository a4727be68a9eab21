package agentd

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/wire"
)

// changes verifies who signed a change of the rules.
type changes struct{ keys *approver.Keys }

// VerifyChange implements config.Signers.
func (c changes) VerifyChange(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, _ int64, sig *wire.Signature) (config.Proof, error) {
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
