package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// refundRow mirrors table refunds.
type refundRow struct {
	bun.BaseModel `bun:"table:refunds,alias:rf"`
	ID            string    `bun:"id,pk"`
	PaymentID     string    `bun:"payment_id"`
	Amount        int64     `bun:"amount"`
	Why           string    `bun:"why"`
	Reason        string    `bun:"reason"`
	CreditID      string    `bun:"credit_id,nullzero"`
	ByName        string    `bun:"by_name"`
	State         string    `bun:"state"`
	Provider      string    `bun:"provider_id,nullzero"`
	Code          string    `bun:"code"`
	TriedAt       time.Time `bun:"tried_at,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	DoneAt        time.Time `bun:"done_at,nullzero"`
}

func toRefundRow(r payment.Refund) *refundRow {
	return &refundRow{
		ID: r.ID, PaymentID: string(r.PaymentID), Amount: int64(r.Amount), Why: string(r.Why), Reason: r.Reason, CreditID: r.CreditID,
		ByName: r.By,
		State:  string(r.State), Provider: r.Provider, Code: r.Code, TriedAt: r.TriedAt, CreatedAt: r.CreatedAt, DoneAt: r.DoneAt,
	}
}

func (r refundRow) refund() payment.Refund {
	return payment.Refund{
		ID: r.ID, PaymentID: payment.ID(r.PaymentID), Amount: pricing.Cents(r.Amount), Why: payment.Why(r.Why),
		Reason: r.Reason, CreditID: r.CreditID,
		By: r.ByName, State: payment.RefundState(r.State), Provider: r.Provider, Code: r.Code, TriedAt: r.TriedAt, CreatedAt: r.CreatedAt,
		DoneAt: r.DoneAt,
	}
}

func insertRefund(ctx context.Context, tx Tx, r payment.Refund) error {
	if _, err := tx.NewInsert().Model(toRefundRow(r)).Exec(ctx); err != nil {
		return fmt.Errorf("store refund: %w", toFault(err))
	}
	return nil
}

// left is how much of a payment can still go back. What went back elsewhere counts as well; what the provider could not give back
// does not.
const left = `CASE WHEN p.state = 'paid' THEN p.amount ELSE 0 END - greatest(p.refunded,
	(SELECT coalesce(sum(rf.amount), 0) FROM refunds AS rf WHERE rf.payment_id = p.id AND rf.state <> 'failed'))`

// Remaining is how much of a payment can still go back.
func (s *Payments) Remaining(ctx context.Context, id payment.ID) (pricing.Cents, error) {
	var cents int64
	err := s.DB.bun(ctx).NewSelect().Model((*paymentRow)(nil)).ColumnExpr(left).Where("p.id = ?", id).Scan(ctx, &cents)
	if err != nil {
		return 0, fmt.Errorf("what is left of a payment: %w", toFault(err))
	}
	return pricing.Cents(cents), nil
}

// AddRefund stores a refund of a payment and queues its work, records e when it is not nil: all or nothing.
func (s *Payments) AddRefund(ctx context.Context, r payment.Refund, e *audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var locked paymentRow
		if err := tx.NewSelect().Model(&locked).Where("p.id = ?", r.PaymentID).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load payment: %w", toFault(err))
		}
		cents, err := s.Remaining(ctx, r.PaymentID)
		if err != nil {
			return err
		}
		if r.Amount > cents {
			return payment.ErrTooMuch
		}
		if err := insertRefund(ctx, tx, r); err != nil {
			return err
		}
		if e != nil {
			if err := writeAudit(ctx, tx, *e); err != nil {
				return err
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.GiveBack{RefundID: r.ID}})
	})
}

// Refund finds a refund with its payment.
func (s *Payments) Refund(ctx context.Context, id string) (payment.Refund, payment.Payment, error) {
	var row refundRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("rf.id = ?", id).Scan(ctx); err != nil {
		return payment.Refund{}, payment.Payment{}, fmt.Errorf("load refund: %w", toFault(err))
	}
	p, err := s.Find(ctx, payment.ID(row.PaymentID))
	return row.refund(), p, err
}

// CreditRefunds lists the refunds of a credit note.
func (s *Payments) CreditRefunds(ctx context.Context, credit string) ([]payment.Refund, error) {
	var rows []refundRow
	if err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("rf.credit_id = ?", credit).Order("rf.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list refunds: %w", toFault(err))
	}
	return each(rows, refundRow.refund), nil
}

// RefundsOf lists the refunds of a payment.
func (s *Payments) RefundsOf(ctx context.Context, id payment.ID) ([]payment.Refund, error) {
	var rows []refundRow
	if err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("rf.payment_id = ?", id).Order("rf.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list refunds: %w", toFault(err))
	}
	return each(rows, refundRow.refund), nil
}

// PaymentsOf lists what was paid for an invoice, the newest first, what was paid in advance among it.
func (s *Payments) PaymentsOf(ctx context.Context, invoice string) ([]payment.Payment, error) {
	var rows []paymentRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("p.state = 'paid'").Where("p.invoice_id = ? OR p.applied_to = ?", invoice, invoice).
		Order("p.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list payments: %w", toFault(err))
	}
	return each(rows, paymentRow.payment), nil
}

// SaveRefund stores how a refund goes.
func (s *Payments) SaveRefund(ctx context.Context, r payment.Refund) error {
	if _, err := s.DB.bun(ctx).NewUpdate().Model(toRefundRow(r)).WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("save refund: %w", toFault(err))
	}
	return nil
}
