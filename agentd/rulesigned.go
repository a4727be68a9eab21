package agentd

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// changes verifies who signed a change of the rules.
type changes struct{ keys *approver.Keys }

// VerifyChange implements config.Signers.
func (c changes) VerifyChange(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, _ int64, sig *wire.Signature) error {
	if sig == nil {
		return errors.New("it carries none")
	}
	_, err := c.keys.Change(ctx, tx, k, body, sig)
	var no *wire.RPCError
	if errors.As(err, &no) {
		return errors.New(no.Text)
	}
	return err
}
