package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
)

// Payments keeps what customers pay, and what the payment provider says. It is payment.Store.
type Payments struct {
	DB   *DB
	Jobs Enqueuer
}

var _ payment.Store = (*Payments)(nil)

// paymentRow mirrors table payments.
type paymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	CheckoutID    string    `bun:"checkout_id,nullzero"`
	OrderID       string    `bun:"order_id,nullzero"`
	InvoiceID     string    `bun:"invoice_id,nullzero"`
	Hosted        bool      `bun:"hosted"`
	Amount        int64     `bun:"amount"`
	Currency      string    `bun:"currency"`
	State         string    `bun:"state"`
	Page          string    `bun:"page,nullzero"`
	Intent        string    `bun:"intent,nullzero"`
	Code          string    `bun:"code"`
	Refunded      int64     `bun:"refunded"`
	Looks         int       `bun:"looks"`
	TriedAt       time.Time `bun:"tried_at,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	UpdatedAt     time.Time `bun:"updated_at"`
	PaidAt        time.Time `bun:"paid_at,nullzero"`
	AppliedTo     string    `bun:"applied_to,nullzero,scanonly"` // kept by Apply
}

func toPaymentRow(p payment.Payment) *paymentRow {
	return &paymentRow{
		ID: string(p.ID), CustomerID: string(p.CustomerID), CheckoutID: string(p.CheckoutID), OrderID: string(p.OrderID),
		InvoiceID: p.InvoiceID, Hosted: p.Hosted, Amount: int64(p.Amount), Currency: p.Currency, State: string(p.State),
		Page: p.Page, Intent: p.Intent,
		Code: p.Code, Refunded: int64(p.Refunded), Looks: p.Looks, TriedAt: p.TriedAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		PaidAt: p.PaidAt,
	}
}

func (r paymentRow) payment() payment.Payment {
	return payment.Payment{
		ID: payment.ID(r.ID), CustomerID: account.CustomerID(r.CustomerID), CheckoutID: payment.CheckoutID(r.CheckoutID),
		OrderID: order.ID(r.OrderID), InvoiceID: r.InvoiceID, Hosted: r.Hosted, Amount: pricing.Cents(r.Amount), Currency: r.Currency,
		State: payment.State(r.State), Page: r.Page, Intent: r.Intent, Code: r.Code, Refunded: pricing.Cents(r.Refunded), Looks: r.Looks,
		TriedAt: r.TriedAt, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, PaidAt: r.PaidAt,
	}
}

// Add stores a payment that is to be asked for.
func (s *Payments) Add(ctx context.Context, p payment.Payment) error {
	if _, err := s.DB.bun(ctx).NewInsert().Model(toPaymentRow(p)).Exec(ctx); err != nil {
		if violated(err, "payments_invoice") || violated(err, "payments_pkey") {
			return payment.ErrUnderWay
		}
		return fmt.Errorf("store payment: %w", toFault(err))
	}
	return nil
}

// OfInvoice finds the newest payment of an invoice.
func (s *Payments) OfInvoice(ctx context.Context, invoice string) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("p.invoice_id = ?", invoice).Order("p.created_at DESC", "p.id DESC").Limit(1)
	})
}

// Tries counts the payments that were asked for an invoice.
func (s *Payments) Tries(ctx context.Context, invoice string) (int, error) {
	n, err := s.DB.bun(ctx).NewSelect().Model((*paymentRow)(nil)).Where("p.invoice_id = ?", invoice).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count payments: %w", toFault(err))
	}
	return int(n), nil
}

// Any says whether the provider knows a customer of ours, or was asked for a payment.
func (s *Payments) Any(ctx context.Context) (asked bool, err error) {
	err = s.DB.bun(ctx).NewRaw("SELECT EXISTS (SELECT FROM payers) OR EXISTS (SELECT FROM payments)").Scan(ctx, &asked)
	if err != nil {
		return true, fmt.Errorf("look for payments: %w", toFault(err))
	}
	return asked, nil
}

// Applied finds the payment that was set against an invoice.
func (s *Payments) Applied(ctx context.Context, invoice string) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("p.applied_to = ?", invoice).Limit(1) })
}

// Apply sets what a customer paid in advance against an invoice. What is being given back at the moment does not count.
func (s *Payments) Apply(
	ctx context.Context, of account.CustomerID, invoice string, total pricing.Cents,
) (advance, over pricing.Cents, err error) {
	var kept int64
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewUpdate().Model((*paymentRow)(nil)).Set("applied_to = ?", invoice).Where("p.customer_id = ?", of).
			Where("p.order_id IS NOT NULL").Where("p.applied_to IS NULL").Where(left + " > 0").Exec(ctx)
		if err != nil {
			return fmt.Errorf("set advance payment against invoice: %w", toFault(err))
		}
		return tx.NewSelect().Model((*paymentRow)(nil)).ColumnExpr("coalesce(sum("+left+"), 0)").Where("p.applied_to = ?", invoice).
			Scan(ctx, &kept)
	})
	if err != nil {
		return 0, 0, err
	}
	advance = min(pricing.Cents(kept), total)
	return advance, pricing.Cents(kept) - advance, nil
}

// Latest finds the newest payment of a checkout.
func (s *Payments) Latest(ctx context.Context, id payment.CheckoutID) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("p.checkout_id = ?", id).Order("p.id DESC").Limit(1)
	})
}

// Get finds a payment of that customer.
func (s *Payments) Get(ctx context.Context, of account.CustomerID, id payment.ID) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("p.customer_id = ?", of).Where("p.id = ?", id)
	})
}

// Find finds a payment whoever has it.
func (s *Payments) Find(ctx context.Context, id payment.ID) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("p.id = ?", id) })
}

// By finds the payment of a page or an intent of the provider.
func (s *Payments) By(ctx context.Context, page, intent string) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		if page != "" {
			return q.Where("p.page = ?", page)
		}
		return q.Where("p.intent = ?", intent)
	})
}

// OfOrder finds the payment that made an order.
func (s *Payments) OfOrder(ctx context.Context, id order.ID) (payment.Payment, error) {
	return s.one(ctx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("p.order_id = ?", id) })
}

func (s *Payments) one(ctx context.Context, which func(*bun.SelectQuery) *bun.SelectQuery) (payment.Payment, error) {
	var row paymentRow
	if err := which(s.DB.bun(ctx).NewSelect().Model(&row)).Scan(ctx); err != nil {
		return payment.Payment{}, fmt.Errorf("load payment: %w", toFault(err))
	}
	return row.payment(), nil
}

// Unsettled lists payments that are not over and were last looked at before, oldest first.
func (s *Payments) Unsettled(ctx context.Context, before time.Time, limit int) ([]payment.ID, error) {
	var ids []payment.ID
	err := s.DB.bun(ctx).NewSelect().Model((*paymentRow)(nil)).Column("id").Where("p.state IN ('asked', 'waiting', 'processing')").
		Where("p.updated_at < ?", before).Order("p.updated_at").Limit(int64(limit)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("list payments: %w", toFault(err))
	}
	return ids, nil
}

// Change locks a payment with its checkout, runs fn on them and saves both with what fn returned.
func (s *Payments) Change(
	ctx context.Context, id payment.ID, fn func(ctx context.Context, p *payment.Payment, c *payment.Checkout) (payment.Change, error),
) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row paymentRow
		if err := tx.NewSelect().Model(&row).Where("p.id = ?", id).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load payment: %w", toFault(err))
		}
		checkout, err := lockCheckout(ctx, tx, row.CheckoutID)
		if err != nil {
			return err
		}
		p := row.payment()
		ch, err := fn(ctx, &p, checkout)
		if err != nil {
			return err
		}
		if checkout != nil {
			if err := saveCheckout(ctx, tx, *checkout); err != nil {
				return err
			}
		}
		if _, err := tx.NewUpdate().Model(toPaymentRow(p)).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("save payment: %w", toFault(err))
		}
		return s.apply(ctx, tx, p, ch)
	})
}

// lockCheckout locks a checkout, so that of two payments of one order the second finds it made.
func lockCheckout(ctx context.Context, tx Tx, id string) (*payment.Checkout, error) {
	if id == "" {
		return nil, nil
	}
	var row checkoutRow
	if err := tx.NewSelect().Model(&row).Where("pc.id = ?", id).For("UPDATE").Scan(ctx); err != nil {
		return nil, fmt.Errorf("load checkout: %w", toFault(err))
	}
	c, err := row.checkout()
	return &c, err
}

func saveCheckout(ctx context.Context, tx Tx, c payment.Checkout) error {
	row, err := toCheckoutRow(c)
	if err != nil {
		return err
	}
	if _, err := tx.NewUpdate().Model(row).Column("state", "order_id").WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("save checkout: %w", toFault(err))
	}
	return nil
}

func (s *Payments) apply(ctx context.Context, tx Tx, p payment.Payment, ch payment.Change) error {
	if ch.Refund != nil {
		if err := insertRefund(ctx, tx, *ch.Refund); err != nil {
			return err
		}
	}
	if ch.Method != nil {
		was, err := s.Payer(ctx, p.CustomerID)
		if err != nil {
			return err
		}
		row := payerRow{CustomerID: string(p.CustomerID), MethodID: was.Method.ID}
		if err := s.method(ctx, tx, row, *ch.Method, p.UpdatedAt); err != nil {
			return err
		}
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, ch.Work)
}
