package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// invoiceRow mirrors table invoices.
type invoiceRow struct {
	bun.BaseModel `bun:"table:invoices,alias:i"`
	ID            string         `bun:"id,pk"`
	Number        string         `bun:"number"`
	CustomerID    string         `bun:"customer_id"`
	PeriodID      string         `bun:"period_id"`
	From          time.Time      `bun:"from_at"`
	To            time.Time      `bun:"to_at"`
	Net           int64          `bun:"net"`
	Tax           int64          `bun:"tax"`
	Total         int64          `bun:"total"`
	Credited      int64          `bun:"credited"`
	Currency      string         `bun:"currency"`
	State         string         `bun:"state"`
	IssuedAt      time.Time      `bun:"issued_at"`
	DueAt         time.Time      `bun:"due_at"`
	PaidAt        time.Time      `bun:"paid_at,nullzero"`
	PaidBy        string         `bun:"paid_by"`
	FailedAt      time.Time      `bun:"failed_at,nullzero"`
	FailedWhy     string         `bun:"failed_why"`
	Lines         []billing.Line `bun:"lines,type:jsonb"`
	Terms         billing.Terms  `bun:"terms,type:jsonb"`
	Customer      string         `bun:"customer,scanonly"`
}

func toInvoiceRow(i billing.Invoice) *invoiceRow {
	return &invoiceRow{
		ID: string(i.ID), Number: i.Number, CustomerID: string(i.CustomerID), PeriodID: string(i.PeriodID), From: i.From, To: i.To,
		Net: int64(i.Net), Tax: int64(i.Tax), Total: int64(i.Total), Credited: int64(i.Credited), Currency: i.Currency,
		State:    string(i.State),
		IssuedAt: i.IssuedAt, DueAt: i.DueAt, PaidAt: i.PaidAt, PaidBy: i.PaidBy, FailedAt: i.FailedAt, FailedWhy: i.FailedWhy,
		Lines: i.Lines, Terms: i.Terms,
	}
}

func (r invoiceRow) invoice() billing.Invoice {
	return billing.Invoice{
		ID: billing.InvoiceID(r.ID), Number: r.Number, CustomerID: account.CustomerID(r.CustomerID),
		PeriodID: billing.PeriodID(r.PeriodID), From: r.From.UTC(), To: r.To.UTC(), Net: pricing.Cents(r.Net),
		Tax: pricing.Cents(r.Tax), Total: pricing.Cents(r.Total), Credited: pricing.Cents(r.Credited), Currency: r.Currency,
		State:    billing.State(r.State),
		IssuedAt: r.IssuedAt, DueAt: r.DueAt, PaidAt: r.PaidAt, PaidBy: r.PaidBy, FailedAt: r.FailedAt, FailedWhy: r.FailedWhy,
		Lines: r.Lines, Terms: r.Terms, Customer: r.Customer,
	}
}

// Issue gives invoices their numbers, keeps them, makes their periods BILLED and queues what follows. Those whose period is not CLOSED
// are left out.
func (s *Billing) Issue(ctx context.Context, all []billing.Issue) (issued []billing.Invoice, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		due, err := bill(ctx, tx, all)
		if err != nil || len(due) == 0 {
			return err
		}
		year := due[0].IssuedAt.UTC().Year()
		last, err := takeNumbers(ctx, tx, "invoice", year, len(due))
		if err != nil {
			return err
		}
		var rows []*invoiceRow
		var follow []work.Item
		for n, i := range due {
			i.Number = numberOf(year, last-int64(len(due)-1-n))
			rows, follow, issued = append(rows, toInvoiceRow(i.Invoice)), append(follow, i.Follow...), append(issued, i.Invoice)
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return fmt.Errorf("store invoices: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
	if err != nil {
		return nil, err
	}
	return issued, nil
}

// bill makes the periods of invoices BILLED, and gives those that it was done for. Whoever bills the same ones waits in the same order.
func bill(ctx context.Context, tx Tx, all []billing.Issue) (due []billing.Issue, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	var ids []billing.PeriodID
	closed := tx.NewSelect().Model((*periodRow)(nil)).Column("bp.id").Where("bp.state = ?", billing.Closed).
		Where("bp.id IN (?)", bun.List(each(all, func(i billing.Issue) string { return string(i.PeriodID) }))).Order("bp.id").For("UPDATE")
	err = tx.NewUpdate().With("closed", closed).Model((*periodRow)(nil)).TableExpr("closed").Set("state = ?", billing.Billed).
		Set("billed_at = ?", all[0].IssuedAt).Set("held = ''").Where("bp.id = closed.id").Returning("bp.id").Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("bill periods: %w", toFault(err))
	}
	for _, i := range all {
		if slices.Contains(ids, i.PeriodID) {
			due = append(due, i)
		}
	}
	return due, nil
}

// takeNumbers takes the next n numbers of a series, of which it gives the last. The row stays locked until the transaction ends, so that
// one which fails leaves no gap.
func takeNumbers(ctx context.Context, tx Tx, series string, year, n int) (last int64, err error) {
	err = tx.NewRaw(`INSERT INTO invoice_counters AS c (series, year, last) VALUES (?0, ?1, ?2)
		ON CONFLICT (series, year) DO UPDATE SET last = c.last + ?2 RETURNING last`, series, year, n).Scan(ctx, &last)
	if err != nil {
		return 0, fmt.Errorf("take numbers: %w", toFault(err))
	}
	return last, nil
}

// numberOf is how a number of a series is written.
func numberOf(year int, n int64) string { return fmt.Sprintf("%d-%06d", year, n) }

// Invoice finds an invoice, whoever has it.
func (s *Billing) Invoice(ctx context.Context, id billing.InvoiceID) (billing.Invoice, error) {
	return s.oneInvoice(ctx, s.DB.bun(ctx).NewSelect().Where("i.id = ?", id))
}

// InvoiceOf finds an invoice of that customer.
func (s *Billing) InvoiceOf(ctx context.Context, of account.CustomerID, id billing.InvoiceID) (billing.Invoice, error) {
	return s.oneInvoice(ctx, s.DB.bun(ctx).NewSelect().Where("i.customer_id = ?", of).Where("i.id = ?", id))
}

func (s *Billing) oneInvoice(ctx context.Context, q *bun.SelectQuery) (billing.Invoice, error) {
	var row invoiceRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return billing.Invoice{}, fmt.Errorf("find invoice: %w", toFault(err))
	}
	return row.invoice(), nil
}

// InvoicesOf lists the invoices of a customer, newest first.
func (s *Billing) InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[billing.Invoice], error) {
	var rows []invoiceRow
	q := s.DB.bun(ctx).NewSelect().Model(&rows).Where("i.customer_id = ?", of)
	if err := newestFirst(q, "i", ask).Scan(ctx); err != nil {
		return page.Of[billing.Invoice]{}, fmt.Errorf("list invoices: %w", toFault(err))
	}
	return page.Cut(each(rows, invoiceRow.invoice), ask.Limit, func(i billing.Invoice) string { return string(i.ID) }), nil
}

// ChangeInvoice locks an invoice, runs fn on it, keeps its state and payment, and records what fn says.
func (s *Billing) ChangeInvoice(
	ctx context.Context, id billing.InvoiceID, fn func(*billing.Invoice) (*audit.Entry, error),
) (i billing.Invoice, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if i, err = s.oneInvoice(ctx, tx.NewSelect().Where("i.id = ?", id).For("UPDATE")); err != nil {
			return err
		}
		e, err := fn(&i)
		if err != nil || e == nil {
			return err
		}
		_, err = tx.NewUpdate().Model(toInvoiceRow(i)).Column("state", "paid_at", "paid_by", "failed_at", "failed_why").WherePK().Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep invoice: %w", toFault(err))
		}
		return writeAudit(ctx, tx, *e)
	})
	return i, err
}
