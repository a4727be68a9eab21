package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
)

// creditRow mirrors table credit_notes.
type creditRow struct {
	bun.BaseModel `bun:"table:credit_notes,alias:cn"`
	ID            string    `bun:"id,pk"`
	Number        string    `bun:"number"`
	InvoiceID     string    `bun:"invoice_id"`
	CustomerID    string    `bun:"customer_id"`
	Net           int64     `bun:"net"`
	Tax           int64     `bun:"tax"`
	Total         int64     `bun:"total"`
	Reason        string    `bun:"reason"`
	IssuedAt      time.Time `bun:"issued_at"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
	Refund        bool      `bun:"refund"`
	RefundedAt    time.Time `bun:"refunded_at,nullzero"`
	RefundedBy    string    `bun:"refunded_by"`
	FailedAt      time.Time `bun:"refund_failed_at,nullzero"`
}

func (r creditRow) note() billing.CreditNote {
	return billing.CreditNote{
		ID: billing.CreditID(r.ID), Number: r.Number, InvoiceID: billing.InvoiceID(r.InvoiceID),
		CustomerID: account.CustomerID(r.CustomerID), Net: pricing.Cents(r.Net), Tax: pricing.Cents(r.Tax), Total: pricing.Cents(r.Total),
		Reason: r.Reason, IssuedAt: r.IssuedAt, ByID: r.ByID, ByName: r.ByName, Refund: r.Refund, RefundedAt: r.RefundedAt,
		RefundedBy: r.RefundedBy, FailedAt: r.FailedAt,
	}
}

// Credit locks an invoice, runs fn on it and its credit notes, numbers and keeps the new one, and queues what follows.
func (s *Billing) Credit(
	ctx context.Context, id billing.InvoiceID, fn func(billing.Invoice, []billing.CreditNote) (billing.Credited, error),
) (n billing.CreditNote, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		i, err := s.oneInvoice(ctx, tx.NewSelect().Where("i.id = ?", id).For("UPDATE"))
		if err != nil {
			return err
		}
		before, err := s.CreditNotes(ctx, id)
		if err != nil {
			return err
		}
		c, err := fn(i, before)
		if err != nil {
			return err
		}
		year := c.Note.IssuedAt.UTC().Year()
		number, err := takeNumbers(ctx, tx, "credit", year, 1)
		if err != nil {
			return err
		}
		n = c.Note
		n.Number = "C" + numberOf(year, number)
		row := &creditRow{
			ID: string(n.ID), Number: n.Number, InvoiceID: string(id), CustomerID: string(n.CustomerID), Net: int64(n.Net),
			Tax:   int64(n.Tax),
			Total: int64(n.Total), Reason: n.Reason, IssuedAt: n.IssuedAt, ByID: n.ByID, ByName: n.ByName, Refund: n.Refund,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("store credit note: %w", toFault(err))
		}
		_, err = tx.NewUpdate().Model((*invoiceRow)(nil)).Set("credited = i.credited + ?", int64(n.Total)).Set("state = ?", c.State).
			Where("i.id = ?", id).Exec(ctx)
		if err != nil {
			return fmt.Errorf("credit invoice: %w", toFault(err))
		}
		if err := writeAudit(ctx, tx, c.Entry); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, c.Follow)
	})
	return n, err
}

// CreditNotes lists the credit notes of an invoice, oldest first.
func (s *Billing) CreditNotes(ctx context.Context, id billing.InvoiceID) ([]billing.CreditNote, error) {
	var rows []creditRow
	if err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("cn.invoice_id = ?", id).Order("cn.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list credit notes: %w", toFault(err))
	}
	return each(rows, creditRow.note), nil
}

// CreditNote finds a credit note, whoever has it.
func (s *Billing) CreditNote(ctx context.Context, id billing.CreditID) (billing.CreditNote, error) {
	var row creditRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("cn.id = ?", id).Scan(ctx); err != nil {
		return billing.CreditNote{}, fmt.Errorf("find credit note: %w", toFault(err))
	}
	return row.note(), nil
}

// Refunded keeps that the money of a credit note went back, once, and records e.
func (s *Billing) Refunded(ctx context.Context, n billing.CreditNote, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*creditRow)(nil)).Set("refunded_at = ?", n.RefundedAt).Set("refunded_by = ?", n.RefundedBy).
			Where("cn.id = ?", n.ID).Where("cn.refunded_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep refund: %w", toFault(err))
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// RefundFailed keeps that the money of a credit note did not go back after all, once, and records e.
func (s *Billing) RefundFailed(ctx context.Context, n billing.CreditNote, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*creditRow)(nil)).Set("refunded_at = NULL").Set("refunded_by = ''").
			Set("refund_failed_at = ?", n.FailedAt).Where("cn.id = ?", n.ID).Where("cn.refunded_at IS NOT NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep failed refund: %w", toFault(err))
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}
