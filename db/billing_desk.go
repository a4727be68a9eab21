package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/page"
)

// summaryQuery is one statement, so that the figures are of one moment.
const summaryQuery = `SELECT (SELECT count(*) FROM billing_periods WHERE state = 'ACTIVE') AS running,
	count(*) FILTER (WHERE state = 'open') AS open_count, coalesce(sum(total - credited) FILTER (WHERE state = 'open'), 0) AS open_total,
	count(*) FILTER (WHERE state = 'open' AND due_at < ?0) AS late_count,
	coalesce(sum(total - credited) FILTER (WHERE state = 'open' AND due_at < ?0), 0) AS late_total,
	count(*) FILTER (WHERE state = 'open' AND failed_at IS NOT NULL) AS failed_count,
	coalesce(sum(total - credited) FILTER (WHERE state = 'open' AND failed_at IS NOT NULL), 0) AS failed_total,
	count(*) FILTER (WHERE state = 'paid' AND paid_at > ?1) AS paid_count,
	coalesce(sum(total - credited) FILTER (WHERE state = 'paid' AND paid_at > ?1), 0) AS paid_total
	FROM invoices WHERE state = 'open' OR state = 'paid' AND paid_at > ?1`

// Summary counts periods and invoices.
func (s *Billing) Summary(ctx context.Context, now time.Time) (sum billing.Summary, err error) {
	err = s.DB.bun(ctx).NewRaw(summaryQuery, now, now.AddDate(0, 0, -30)).Scan(ctx, &sum.Running, &sum.Open.Count, &sum.Open.Total,
		&sum.Overdue.Count, &sum.Overdue.Total, &sum.Failed.Count, &sum.Failed.Total, &sum.PaidMonth.Count, &sum.PaidMonth.Total)
	if err != nil {
		return sum, fmt.Errorf("sum up billing: %w", toFault(err))
	}
	return sum, nil
}

// Held lists closed periods that wait for something, oldest first.
func (s *Billing) Held(ctx context.Context, limit int) ([]billing.Period, error) {
	var rows []periodRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("bp.state = 'CLOSED'").Where("bp.held <> ''").Order("bp.to_at", "bp.id").
		Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list waiting periods: %w", toFault(err))
	}
	return each(rows, periodRow.period), nil
}

// Invoices lists invoices of all customers with the names of those, newest first. One is found by its number, and by the name of its
// customer.
func (s *Billing) Invoices(ctx context.Context, f billing.Filter, now time.Time, ask page.Ask) (page.Of[billing.Invoice], error) {
	var rows []invoiceRow
	q := s.DB.bun(ctx).NewSelect().Model(&rows).Column("i.*").ColumnExpr("c.name AS customer").
		Join("JOIN customers AS c ON c.id = i.customer_id")
	if f.State != "" {
		q = q.Where("i.state = ?", f.State)
	}
	if f.Overdue {
		q = q.Where("i.state = 'open'").Where("i.due_at < ?", now)
	}
	if ask.Search != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(ask.Search)) + "%"
		q = q.Where("lower(c.name) LIKE ? OR i.number LIKE ?", like, like)
	}
	if err := newestFirst(q, "i", ask).Scan(ctx); err != nil {
		return page.Of[billing.Invoice]{}, fmt.Errorf("list invoices: %w", toFault(err))
	}
	return page.Cut(each(rows, invoiceRow.invoice), ask.Limit, func(i billing.Invoice) string { return string(i.ID) }), nil
}
