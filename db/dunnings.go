package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/payment"
	"gatehouse/app/work"
)

// dunningRow mirrors table dunnings.
type dunningRow struct {
	bun.BaseModel `bun:"table:dunnings,alias:dn"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	InvoiceID     string    `bun:"invoice_id,nullzero"`
	PaymentID     string    `bun:"payment_id,nullzero"`
	State         string    `bun:"state"`
	Tries         int       `bun:"tries"`
	Since         time.Time `bun:"since"`
	NextAt        time.Time `bun:"next_at,nullzero"`
	PausedAt      time.Time `bun:"paused_at,nullzero"`
	ClosedAt      time.Time `bun:"closed_at,nullzero"`
}

func toDunningRow(d payment.Dunning) *dunningRow {
	return &dunningRow{
		ID: d.ID, CustomerID: string(d.CustomerID), InvoiceID: d.InvoiceID, PaymentID: string(d.PaymentID), State: string(d.State),
		Tries: d.Tries, Since: d.Since, NextAt: d.NextAt, PausedAt: d.PausedAt, ClosedAt: d.ClosedAt,
	}
}

func (r dunningRow) dunning() payment.Dunning {
	return payment.Dunning{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), InvoiceID: r.InvoiceID, PaymentID: payment.ID(r.PaymentID),
		State: payment.DunningState(r.State), Tries: r.Tries, Since: r.Since, NextAt: r.NextAt, PausedAt: r.PausedAt, ClosedAt: r.ClosedAt,
	}
}

// DunningOf finds the open dunning of an invoice.
func (s *Payments) DunningOf(ctx context.Context, invoice string) (payment.Dunning, error) {
	var row dunningRow
	err := s.DB.bun(ctx).NewSelect().Model(&row).Where("dn.invoice_id = ?", invoice).Where("dn.closed_at IS NULL").Scan(ctx)
	if err != nil {
		return payment.Dunning{}, fmt.Errorf("load dunning: %w", toFault(err))
	}
	return row.dunning(), nil
}

// DunningsOf lists the open ones of a customer, the oldest first.
func (s *Payments) DunningsOf(ctx context.Context, of account.CustomerID) ([]payment.Dunning, error) {
	return s.dunnings(ctx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("dn.customer_id = ?", of) })
}

// Dunnings lists open ones of which something is due, and those whose invoice nobody has to pay any more.
func (s *Payments) Dunnings(ctx context.Context, now, graceOver, lastOver, pauseOver time.Time) ([]payment.Dunning, error) {
	return s.dunnings(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("dn.next_at <= ? OR dn.state = 'past_due' AND dn.since <= ? OR dn.state = 'paused' AND dn.paused_at <= ? "+
			"OR dn.state = 'last' AND dn.paused_at <= ? OR "+owedByNobody, now, graceOver, lastOver, pauseOver)
	})
}

// owedByNobody are dunnings of an invoice that was credited, or was paid in another way, or of an order that was refunded whole.
const owedByNobody = `dn.invoice_id IN (SELECT i.id FROM invoices AS i WHERE i.state NOT IN ('open', 'uncollectible')) OR
	dn.invoice_id IS NOT NULL AND EXISTS (SELECT FROM orders AS o WHERE o.customer_id = dn.customer_id AND o.standing = 'main'
		AND o.state NOT IN ('CANCELLED', 'RELEASED') AND o.end_reason = 'refunded')`

func (s *Payments) dunnings(ctx context.Context, which func(*bun.SelectQuery) *bun.SelectQuery) ([]payment.Dunning, error) {
	var rows []dunningRow
	q := s.DB.bun(ctx).NewSelect().Model(&rows).Where("dn.closed_at IS NULL").Order("dn.since", "dn.id").Limit(100)
	if err := which(q).Scan(ctx); err != nil {
		return nil, fmt.Errorf("list dunnings: %w", toFault(err))
	}
	return each(rows, dunningRow.dunning), nil
}

// ChangeDunning locks the dunning of the same invoice or payment, runs fn on it, keeps it and queues the letter that fn names.
func (s *Payments) ChangeDunning(ctx context.Context, fresh payment.Dunning, fn func(*payment.Dunning) (string, error)) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.NewInsert().Model(toDunningRow(fresh)).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return fmt.Errorf("store dunning: %w", toFault(err))
		}
		var row dunningRow
		err := tx.NewSelect().Model(&row).Where("dn.invoice_id = ? OR dn.payment_id = ?",
			nullID(fresh.InvoiceID), nullID(string(fresh.PaymentID))).
			For("UPDATE").Scan(ctx)
		if err != nil {
			return fmt.Errorf("load dunning: %w", toFault(err))
		}
		d := row.dunning()
		letter, err := fn(&d)
		if err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(toDunningRow(d)).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("save dunning: %w", toFault(err))
		}
		if letter == "" {
			return nil
		}
		if err := s.tellTeam(ctx, tx, string(d.CustomerID)); err != nil {
			return err
		}
		return s.tellOwners(ctx, tx, d, letter)
	})
}

// tellTeam has the customer's server hear whether its team has to rest, in the transaction that says so.
func (s *Payments) tellTeam(ctx context.Context, tx Tx, of string) error {
	return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.RefreshTeam{CustomerID: of}})
}

// nullID is an id, or NULL.
func nullID(id string) any {
	if id == "" {
		return nil
	}
	return id
}

func (s *Payments) tellOwners(ctx context.Context, tx Tx, d payment.Dunning, letter string) error {
	owners, err := ownersOf(ctx, tx, string(d.CustomerID))
	if err != nil {
		return err
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, each(owners, func(id string) work.Item {
		return work.SendMail{Template: letter, UserID: id, Ref: d.ID}
	}))
}

// Dunning finds one, whoever it is about: mails.
func (s *Payments) Dunning(ctx context.Context, id string) (payment.Dunning, error) {
	var row dunningRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("dn.id = ?", id).Scan(ctx); err != nil {
		return payment.Dunning{}, fmt.Errorf("load dunning: %w", toFault(err))
	}
	return row.dunning(), nil
}

// CloseDunning ends that of an invoice.
func (s *Payments) CloseDunning(ctx context.Context, invoice string, at time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var closed []string
		err := tx.NewUpdate().Model((*dunningRow)(nil)).Set("closed_at = ?", at).Set("next_at = NULL").
			Where("dn.invoice_id = ?", invoice).Where("dn.closed_at IS NULL").Returning("dn.customer_id").Scan(ctx, &closed)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("close dunning: %w", toFault(err))
		}
		for _, of := range closed {
			if err := s.tellTeam(ctx, tx, of); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forgive ends an open one of that customer and records e.
func (s *Payments) Forgive(ctx context.Context, of account.CustomerID, id string, at time.Time, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*dunningRow)(nil)).Set("closed_at = ?", at).Set("next_at = NULL").Where("dn.customer_id = ?", of).
			Where("dn.id = ?", id).Where("dn.closed_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("close dunning: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrNotFound, err)
		}
		if err := s.tellTeam(ctx, tx, string(of)); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// TryNow has open ones of a provider's customer tried at once.
func (s *Payments) TryNow(ctx context.Context, payer string, at time.Time) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model((*dunningRow)(nil)).Set("next_at = ?", at).Where("dn.closed_at IS NULL").
		Where("dn.invoice_id IS NOT NULL").
		Where("dn.customer_id IN (SELECT py.customer_id FROM payers AS py WHERE py.provider_id = ?)", payer).Exec(ctx)
	if err != nil {
		return fmt.Errorf("try again now: %w", toFault(err))
	}
	return nil
}

// Postpone has the open dunning of an invoice wait until then for its next try.
func (s *Payments) Postpone(ctx context.Context, invoice string, until time.Time) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model((*dunningRow)(nil)).Set("next_at = ?", until).Where("dn.invoice_id = ?", invoice).
		Where("dn.closed_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("postpone try: %w", toFault(err))
	}
	return nil
}

// CollectMissed queues the collection of open invoices issued before then of which nothing is on its way.
func (s *Payments) CollectMissed(ctx context.Context, before time.Time) (n int, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var ids []string
		err := tx.NewSelect().Model((*invoiceRow)(nil)).Column("i.id").Where("i.state = 'open'").Where("i.issued_at < ?", before).
			Where("NOT EXISTS (SELECT FROM dunnings AS dn WHERE dn.invoice_id = i.id AND dn.closed_at IS NULL)").
			Where(`NOT EXISTS (SELECT FROM payments AS p WHERE p.invoice_id = i.id AND p.state NOT IN ('paid', 'failed', 'expired'))`).
			Where(`NOT EXISTS (SELECT FROM river_job AS j WHERE j.kind = 'collect_invoice' AND j.args->>'invoice_id' = i.id::text
				AND j.state NOT IN ('discarded', 'cancelled'))`). // one that is completed is done anew once River has dropped it
			Order("i.id").Limit(100).Scan(ctx, &ids)
		if err != nil {
			return fmt.Errorf("list invoices that nobody collects: %w", toFault(err))
		}
		n = len(ids)
		return s.Jobs.EnqueueTx(ctx, tx.PGX, each(ids, func(id string) work.Item { return work.CollectInvoice{InvoiceID: id} }))
	})
	return n, err
}

// Recovered lists customers whose order ended unpaid and is not released, and who owe nothing any more.
func (s *Payments) Recovered(ctx context.Context) ([]account.CustomerID, error) {
	var all []account.CustomerID
	err := s.DB.bun(ctx).NewSelect().Model((*orderRow)(nil)).Column("o.customer_id").Where("o.state = 'ENDED'").
		Where("o.end_reason = 'unpaid'").Where("o.standing = 'main'").
		Where("NOT EXISTS (SELECT FROM dunnings AS dn WHERE dn.customer_id = o.customer_id AND dn.closed_at IS NULL)").
		Where("EXISTS (SELECT FROM dunnings AS dn WHERE dn.customer_id = o.customer_id AND dn.state = 'ended')").Limit(100).Scan(ctx, &all)
	if err != nil {
		return nil, fmt.Errorf("list customers who paid: %w", toFault(err))
	}
	return all, nil
}

// TellStaff queues a letter to all of our staff who have one of these roles.
func (s *Payments) TellStaff(ctx context.Context, roles []string, letter, ref string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var clerks []string
		err := tx.NewSelect().Model((*staffRow)(nil)).Column("st.id").Where("st.off_at IS NULL").Where("st.role IN (?)", bun.List(roles)).
			Scan(ctx, &clerks)
		if err != nil {
			return fmt.Errorf("list staff: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, each(clerks, func(id string) work.Item {
			return work.SendMail{Template: letter, UserID: id, Ref: ref}
		}))
	})
}
