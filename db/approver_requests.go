package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/approver"
	"gatehouse/app/server"
)

var _ approver.Requests = (*Approvers)(nil)

// Waiting reads what devices have asked for since a time, and our staff since another, oldest first.
func (s *Approvers) Waiting(ctx context.Context, id server.ID, devices, staff time.Time) (all []approver.Request, err error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT key_id, spki, kind, label, credential, address, coalesce(staff_id::text, ''), created_at FROM approver_requests
		WHERE server_id = $1 AND answer = '' AND (staff_id IS NULL AND created_at > $2 OR staff_id IS NOT NULL AND created_at > $3) ORDER BY created_at, key_id`,
		cached, string(id), devices, staff)
	if err != nil {
		return nil, fmt.Errorf("load requests for keys: %w", toFault(err))
	}
	defer rows.Close()
	for rows.Next() {
		var r approver.Request
		if err := rows.Scan(&r.KeyID, &r.SPKI, (*string)(&r.Kind), &r.Label, &r.Credential, &r.Address, &r.Staff, &r.At); err != nil {
			return nil, fmt.Errorf("load requests for keys: %w", err)
		}
		all = append(all, r)
	}
	return all, toFault(rows.Err())
}

// Ask keeps a device's request, in place of an earlier one for the same key, and forgets what was asked before since.
func (s *Approvers) Ask(ctx context.Context, id server.ID, r approver.Request, since time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.PGX.Exec(ctx, "DELETE FROM approver_requests WHERE server_id = $1 AND staff_id IS NULL AND (created_at <= $2 OR key_id = $3)", cached, string(id), since, r.KeyID); err != nil {
			return fmt.Errorf("forget requests for keys: %w", toFault(err))
		}
		return addRequest(ctx, tx, id, r)
	})
}

func addRequest(ctx context.Context, tx Tx, id server.ID, r approver.Request) error {
	_, err := tx.PGX.Exec(ctx, `INSERT INTO approver_requests (server_id, key_id, spki, kind, label, credential, address, staff_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, '')::uuid, $9)`, cached,
		string(id), r.KeyID, r.SPKI, string(r.Kind), r.Label, r.Credential, r.Address, r.Staff, r.At)
	if err != nil {
		return fmt.Errorf("store request for key: %w", toFault(err))
	}
	return nil
}

// Drop forgets a device's request and marks one of staff as refused; one that is not there is no error.
func (s *Approvers) Drop(ctx context.Context, id server.ID, keyID string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		for _, change := range []string{
			"DELETE FROM approver_requests WHERE server_id = $1 AND key_id = $2 AND staff_id IS NULL",
			"UPDATE approver_requests SET answer = 'refused' WHERE server_id = $1 AND key_id = $2 AND staff_id IS NOT NULL AND answer = ''",
		} {
			if _, err := tx.PGX.Exec(ctx, change, cached, string(id), keyID); err != nil {
				return fmt.Errorf("forget request for key: %w", toFault(err))
			}
		}
		return nil
	})
}
