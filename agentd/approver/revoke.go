package approver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse/agentd/wire"
)

// Revoke takes the right to allow from a key. An enrolled key must have signed that, unless the key is one of staff: that
// goes unsigned as a deny does, for it only stops. The last key of the people of the business stays: without one nothing
// could ever be allowed again.
func (k *Keys) Revoke(ctx context.Context, r wire.Revocation) (wire.ApproverState, error) {
	var left []wire.ApproverKey
	var why refusal
	err := k.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		why = ""
		err := k.revoke(ctx, tx, r)
		if errors.As(err, &why) {
			return k.note(tx, "approver.refused", map[string]any{"what": "revoke", "why": string(why), "by": r.By})
		}
		if err != nil {
			return err
		}
		left, err = List(ctx, tx)
		return err
	})
	switch {
	case err != nil:
		return wire.ApproverState{}, err
	case why != "":
		return wire.ApproverState{}, &wire.RPCError{Code: "conflict", Text: "This device was not removed: " + string(why) + "."}
	}
	return wire.ApproverState{Keys: left}, nil
}

func (k *Keys) revoke(ctx context.Context, tx *sql.Tx, r wire.Revocation) error {
	keys, err := List(ctx, tx)
	if err != nil {
		return err
	}
	target, err := mayGo(keys, r.KeyID)
	if err != nil {
		return err
	}
	body := map[string]any{"key_id": r.KeyID, "holder": target.Holder, "by": r.By}
	if r.Signature != nil || target.Holder != wire.HolderStaff {
		v, err := k.now(ctx, tx, change{wire.ChangeRevoke, wire.RevokeBody{KeyID: r.KeyID}, r.Version}, r.Signature)
		if err != nil {
			return err
		}
		body["signed_by"] = v.key.KeyID
	}
	_, err = tx.ExecContext(ctx, "UPDATE approver_keys SET revoked_at = ? WHERE key_id = ?", k.d.Now().UnixMicro(), r.KeyID)
	if err != nil {
		return fmt.Errorf("revoke approver key: %w", err)
	}
	if err := withdraw(ctx, tx, r.KeyID); err != nil {
		return err
	}
	if err := k.note(tx, "approver.revoked", body); err != nil {
		return err
	}
	return k.tell(ctx, tx)
}

// mayGo finds a key that is there and not the last one that counts.
func mayGo(keys []wire.ApproverKey, id string) (*wire.ApproverKey, error) {
	var target *wire.ApproverKey
	others := 0
	for i, key := range keys {
		switch {
		case key.KeyID == id:
			target = &keys[i]
		case key.Holder == wire.HolderPerson:
			others++
		}
	}
	switch {
	case target == nil:
		return nil, refusal("it may not approve on this server")
	case target.Holder == wire.HolderPerson && others == 0:
		return nil, refusal("it is the last device that may approve; add another one first")
	}
	return target, nil
}
