package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// AskAsStaff keeps the request of one of our staff, in place of all that they have asked of this server and that did not
// become a key, records it, and has the owners sent a letter about it.
func (s *Approvers) AskAsStaff(ctx context.Context, id server.ID, r approver.Request, letter work.SendMail, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.PGX.Exec(ctx, `DELETE FROM approver_requests r WHERE r.server_id = $1 AND r.staff_id = $2
			AND NOT EXISTS (SELECT FROM approver_keys k WHERE k.server_id = r.server_id AND k.key_id = r.key_id)`, cached, string(id), r.Staff)
		if err != nil {
			return fmt.Errorf("forget requests for keys: %w", toFault(err))
		}
		if err := addRequest(ctx, tx, id, r); err != nil {
			return err
		}
		if err := s.tellOwners(ctx, tx, id, letter); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// tellOwners queues a letter to the owners of a server who have proven their address.
func (s *Approvers) tellOwners(ctx context.Context, tx Tx, id server.ID, letter work.SendMail) error {
	rows, err := tx.PGX.Query(ctx, `SELECT u.id::text FROM users u JOIN servers s ON s.customer_id = u.customer_id
		WHERE s.id = $1 AND u.role = 'owner' AND u.verified_at IS NOT NULL`, cached, string(id))
	if err != nil {
		return fmt.Errorf("find owners: %w", toFault(err))
	}
	letters, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (work.Item, error) {
		l := letter
		err := row.Scan(&l.UserID)
		return l, err
	})
	if err != nil {
		return fmt.Errorf("find owners: %w", toFault(err))
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, letters)
}

// lastUse is when a key of staff allowed something, as was recorded.
const lastUse = "FROM audit_log WHERE by_kind = 'staff' AND action = 'approval.decide' AND customer_id"

// OfStaff reads the keys of one of our staff, the newest first. What was asked before since has run out.
func (s *Approvers) OfStaff(ctx context.Context, staffID string, since time.Time) (all []approver.StaffKey, err error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT r.server_id::text, s.slug, c.name, r.key_id, r.spki, r.kind, r.label, r.address, r.created_at,
			CASE WHEN k.key_id IS NOT NULL THEN 'enrolled' WHEN r.answer = 'refused' THEN 'refused' WHEN r.answer = 'added' THEN 'revoked'
				WHEN r.created_at <= $2 THEN 'ran_out' ELSE 'asked' END,
			k.created_at, (SELECT max(at) `+lastUse+` = s.customer_id AND details->>'key_id' = r.key_id)
		FROM approver_requests r JOIN servers s ON s.id = r.server_id AND s.revoked_at IS NULL JOIN customers c ON c.id = s.customer_id
		LEFT JOIN approver_keys k ON k.server_id = r.server_id AND k.key_id = r.key_id AND k.holder = 'staff'
		WHERE r.staff_id = $1 ORDER BY r.created_at DESC, r.key_id`, cached, staffID, since)
	if err != nil {
		return nil, fmt.Errorf("load keys of staff: %w", toFault(err))
	}
	defer rows.Close()
	for rows.Next() {
		k := approver.StaffKey{Request: approver.Request{Staff: staffID}}
		var enrolled, used *time.Time
		err := rows.Scan((*string)(&k.Server), &k.Slug, &k.Customer, &k.KeyID, &k.SPKI, (*string)(&k.Kind), &k.Label, &k.Address, &k.At,
			(*string)(&k.Standing), &enrolled, &used)
		if err != nil {
			return nil, fmt.Errorf("load keys of staff: %w", err)
		}
		k.Since, k.Used = orZero(enrolled), orZero(used)
		all = append(all, k)
	}
	return all, toFault(rows.Err())
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// Used says when keys of our staff allowed something at a customer's last, by key.
func (s *Approvers) Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, "SELECT details->>'key_id', max(at) "+lastUse+" = $1 AND details->>'key_id' IS NOT NULL GROUP BY 1", cached, string(of))
	if err != nil {
		return nil, fmt.Errorf("load use of keys: %w", toFault(err))
	}
	defer rows.Close()
	used := map[string]time.Time{}
	for rows.Next() {
		var key string
		var at time.Time
		if err := rows.Scan(&key, &at); err != nil {
			return nil, fmt.Errorf("load use of keys: %w", err)
		}
		used[key] = at
	}
	return used, toFault(rows.Err())
}
