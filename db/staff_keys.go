package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

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
		_, err := tx.NewDelete().Model((*approverRequestRow)(nil)).Where("r.server_id = ?", id).Where("r.staff_id = ?", r.Staff).
			Where("NOT EXISTS (SELECT FROM approver_keys AS k WHERE k.server_id = r.server_id AND k.key_id = r.key_id)").Exec(ctx)
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
	var owners []string
	err := tx.NewSelect().Model((*userRow)(nil)).Column("u.id").Join("JOIN servers AS s ON s.customer_id = u.customer_id").
		Where("s.id = ?", id).Where("u.role = 'owner'").Where("u.verified_at IS NOT NULL").Scan(ctx, &owners)
	if err != nil {
		return fmt.Errorf("find owners: %w", toFault(err))
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, each(owners, func(owner string) work.Item {
		l := letter
		l.UserID = owner
		return l
	}))
}

// staffKeyRow is a request of our staff, with what became of it.
type staffKeyRow struct {
	approverRequestRow `bun:",extend"`
	Slug               string    `bun:"slug"`
	Customer           string    `bun:"customer"`
	Standing           string    `bun:"standing"`
	EnrolledAt         time.Time `bun:"enrolled_at"`
	UsedAt             time.Time `bun:"used_at"`
}

func (r staffKeyRow) key() approver.StaffKey {
	return approver.StaffKey{
		Request: r.request(), Server: server.ID(r.ServerID), Slug: r.Slug, Customer: r.Customer,
		Standing: approver.Standing(r.Standing), Since: r.EnrolledAt, Used: r.UsedAt,
	}
}

// standing is what became of a request of our staff.
const standing = `CASE WHEN k.key_id IS NOT NULL THEN 'enrolled' WHEN r.answer = 'refused' THEN 'refused'
	WHEN r.answer = 'added' THEN 'revoked' WHEN r.created_at <= ? THEN 'ran_out' ELSE 'asked' END AS standing`

// uses selects what was recorded when keys of our staff allowed something.
func uses(db bun.IDB) *bun.SelectQuery {
	return db.NewSelect().Model((*auditRow)(nil)).Where("al.by_kind = 'staff'").Where("al.action = 'approval.decide'")
}

// OfStaff reads the keys of one of our staff, the newest first. What was asked before since has run out.
func (s *Approvers) OfStaff(ctx context.Context, staffID string, since time.Time) ([]approver.StaffKey, error) {
	var rows []staffKeyRow
	db := s.DB.bun(ctx)
	used := uses(db).ColumnExpr("max(al.at)").Where("al.customer_id = s.customer_id").Where("al.details->>'key_id' = r.key_id")
	err := db.NewSelect().Model(&rows).Column("r.*", "s.slug").ColumnExpr("c.name AS customer").ColumnExpr(standing, since).
		ColumnExpr("k.created_at AS enrolled_at").ColumnExpr("(?) AS used_at", used).
		Join("JOIN servers AS s ON s.id = r.server_id AND s.revoked_at IS NULL").
		Join("JOIN customers AS c ON c.id = s.customer_id").
		Join("LEFT JOIN approver_keys AS k ON k.server_id = r.server_id AND k.key_id = r.key_id AND k.holder = 'staff'").
		Where("r.staff_id = ?", staffID).Order("r.created_at DESC", "r.key_id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("load keys of staff: %w", toFault(err))
	}
	return each(rows, staffKeyRow.key), nil
}

// Used says when keys of our staff allowed something at a customer's last, by key.
func (s *Approvers) Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error) {
	var rows []struct {
		Key string    `bun:"key"`
		At  time.Time `bun:"at"`
	}
	err := uses(s.DB.bun(ctx)).ColumnExpr("al.details->>'key_id' AS key").ColumnExpr("max(al.at) AS at").
		Where("al.customer_id = ?", of).Where("al.details->>'key_id' IS NOT NULL").GroupExpr("1").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("load use of keys: %w", toFault(err))
	}
	used := map[string]time.Time{}
	for _, r := range rows {
		used[r.Key] = r.At
	}
	return used, nil
}
