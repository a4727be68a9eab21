package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/page"
)

// Audit reads the record of changes. It is audit.Reader.
type Audit struct{ DB *DB }

var _ audit.Reader = (*Audit)(nil)

// auditRow mirrors table audit_log.
type auditRow struct {
	bun.BaseModel `bun:"table:audit_log,alias:al"`
	ID            string            `bun:"id,pk"`
	At            time.Time         `bun:"at"`
	ByKind        string            `bun:"by_kind"`
	ByID          string            `bun:"by_id"`
	ByName        string            `bun:"by_name"`
	ByRole        string            `bun:"by_role"`
	ByAddress     string            `bun:"by_address"`
	CustomerID    string            `bun:"customer_id,nullzero"`
	Action        string            `bun:"action"`
	Target        string            `bun:"target"`
	Details       map[string]string `bun:"details,type:jsonb"`
}

// writeAudit records e in the transaction of the change that it tells of.
func writeAudit(ctx context.Context, tx bun.IDB, e audit.Entry) error {
	if e.Details == nil {
		e.Details = map[string]string{}
	}
	row := &auditRow{
		ID: e.ID, At: e.At, ByKind: string(e.By.Kind), ByID: e.By.ID, ByName: e.By.Name, ByRole: e.By.Role, ByAddress: e.By.Address,
		CustomerID: e.CustomerID, Action: e.Action, Target: e.Target, Details: e.Details,
	}
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		return fmt.Errorf("record %s: %w", e.Action, toFault(err))
	}
	return nil
}

func (r auditRow) entry() audit.Entry {
	return audit.Entry{
		ID: r.ID, At: r.At, By: audit.Actor{Kind: audit.Kind(r.ByKind), ID: r.ByID, Name: r.ByName, Role: r.ByRole, Address: r.ByAddress},
		CustomerID: r.CustomerID, Action: r.Action, Target: r.Target, Details: r.Details,
	}
}

// List gives the records of one customer, or of all when customer is empty, newest first.
func (s *Audit) List(ctx context.Context, customer string, ask page.Ask) (page.Of[audit.Entry], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[audit.Entry]{}, err
	}
	var rows []auditRow
	q := newestFirst(s.DB.NewSelect().Model(&rows), "al", ask)
	if customer != "" {
		q = q.Where("al.customer_id = ?", customer)
	}
	if err := q.Scan(ctx); err != nil {
		return page.Of[audit.Entry]{}, fmt.Errorf("list audit log: %w", toFault(err))
	}
	return page.Cut(each(rows, auditRow.entry), ask.Limit, func(e audit.Entry) string { return e.ID }), nil
}
