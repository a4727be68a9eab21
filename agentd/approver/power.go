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
	v, err := k.now(ctx, tx, change{kind: kind, body: body, version: version}, s)
	var no refusal
	if errors.As(err, &no) {
		return Proof{}, &wire.RPCError{Code: "signature_required", Text: "Your server refused this: " + no.Error() + "."}
	}
	if err != nil {
		return Proof{}, err
	}
	return v.proof(), nil
}
