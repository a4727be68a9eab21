package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/server"
)

// Approvers keeps what servers say about their approver keys. It is approver.Store and approval.Keys. Jobs is what
// AskAsStaff needs.
type Approvers struct {
	DB   *DB
	Jobs Enqueuer
}

var (
	_ approver.Store = (*Approvers)(nil)
	_ approval.Keys  = (*Approvers)(nil)
)

// Of reads the keys of the customer's server, oldest first.
func (s *Approvers) Of(ctx context.Context, of account.CustomerID) (r approver.Ring, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT s.id::text, coalesce(st.version, 0) FROM servers s LEFT JOIN config_states st ON st.server_id = s.id
		WHERE s.customer_id = $1 AND s.revoked_at IS NULL`, cached, string(of)).Scan((*string)(&r.ServerID), &r.Version)
	if err != nil {
		return r, fmt.Errorf("load approver keys: %w", toFault(err))
	}
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT key_id, spki, kind, holder, label, credential, added_by, created_at
		FROM approver_keys WHERE server_id = $1 ORDER BY created_at, key_id`, cached, string(r.ServerID))
	if err != nil {
		return r, fmt.Errorf("load approver keys: %w", toFault(err))
	}
	defer rows.Close()
	for rows.Next() {
		var k wire.ApproverKey
		if err := rows.Scan(&k.KeyID, &k.SPKI, (*string)(&k.Kind), (*string)(&k.Holder), &k.Label, &k.Credential, &k.AddedBy, &k.CreatedAt); err != nil {
			return r, fmt.Errorf("load approver keys: %w", err)
		}
		r.Keys = append(r.Keys, k)
	}
	return r, toFault(rows.Err())
}

// Holder says whose key it is, as a server has reported it, and of one of staff, who asked for it; "" when the server
// reported none of that name.
func (s *Approvers) Holder(ctx context.Context, id server.ID, keyID string) (h wire.Holder, member string, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT k.holder, coalesce(r.staff_id::text, '') FROM approver_keys k
		LEFT JOIN approver_requests r ON r.server_id = k.server_id AND r.key_id = k.key_id WHERE k.server_id = $1 AND k.key_id = $2`, cached,
		string(id), keyID).Scan((*string)(&h), &member)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", "", fmt.Errorf("look for approver key: %w", toFault(err))
	}
	return h, member, nil
}

// Report keeps what a server says about its keys: all of them, in place of what it said before.
func (s *Approvers) Report(ctx context.Context, id server.ID, st wire.ApproverState) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.PGX.Exec(ctx, "DELETE FROM approver_keys WHERE server_id = $1", cached, string(id)); err != nil {
			return fmt.Errorf("store approver keys: %w", toFault(err))
		}
		for _, k := range st.Keys {
			_, err := tx.PGX.Exec(ctx, `INSERT INTO approver_keys (server_id, key_id, spki, kind, holder, label, credential, added_by, created_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, cached,
				string(id), k.KeyID, k.SPKI, string(k.Kind), string(k.Holder), k.Label, k.Credential, k.AddedBy, k.CreatedAt)
			if err != nil {
				return fmt.Errorf("store approver keys: %w", toFault(err))
			}
		}
		_, err := tx.PGX.Exec(ctx, `UPDATE approver_requests r SET answer = 'added' FROM approver_keys k
			WHERE r.server_id = $1 AND r.staff_id IS NOT NULL AND r.answer <> 'added' AND k.server_id = $1 AND k.key_id = r.key_id`, cached, string(id))
		if err != nil {
			return fmt.Errorf("store whose approver keys they are: %w", toFault(err))
		}
		return nil
	})
}
