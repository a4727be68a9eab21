package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// checkoutRow mirrors table pending_checkouts.
type checkoutRow struct {
	bun.BaseModel `bun:"table:pending_checkouts,alias:pc"`
	ID            string          `bun:"id,pk"`
	CustomerID    string          `bun:"customer_id"`
	OrderedBy     string          `bun:"ordered_by"`
	Choice        json.RawMessage `bun:"choice,type:jsonb"`
	Price         int64           `bun:"price"`
	Currency      string          `bun:"currency"`
	State         string          `bun:"state"`
	OrderID       string          `bun:"order_id,nullzero"`
	ToldAt        time.Time       `bun:"told_at,nullzero"`
	CreatedAt     time.Time       `bun:"created_at"`
}

// orderedRow is an order.Choice as it stands in rows.
type orderedRow struct {
	Plan         string `json:"plan"`
	Region       string `json:"region"`
	BusinessType string `json:"business_type,omitempty"`
	Provider     string `json:"provider,omitempty"`
	Domain       string `json:"domain,omitempty"`
	ApproverKey  string `json:"approver_key,omitempty"`
	Passkey      string `json:"passkey,omitempty"`
	Snapshots    bool   `json:"snapshots,omitempty"`
	ApproverBox  string `json:"approver_box,omitempty"`
	AdminKey     string `json:"admin_key,omitempty"`
}

func toCheckoutRow(c payment.Checkout) (*checkoutRow, error) {
	ch := c.Choice
	raw, err := json.Marshal(orderedRow{
		Plan: string(ch.Plan), Region: string(ch.Region), BusinessType: ch.BusinessType, Provider: ch.Provider, Domain: ch.Domain,
		ApproverKey: ch.ApproverKey, Passkey: ch.Passkey, Snapshots: ch.Snapshots, ApproverBox: ch.ApproverBox,
		AdminKey: ch.AdminKey,
	})
	if err != nil {
		return nil, fmt.Errorf("store checkout: %w", err)
	}
	return &checkoutRow{
		ID: string(c.ID), CustomerID: string(c.CustomerID), OrderedBy: string(c.By), Choice: raw, Price: int64(c.Price),
		Currency: c.Currency, State: string(c.State), OrderID: string(c.OrderID), ToldAt: c.ToldAt, CreatedAt: c.CreatedAt,
	}, nil
}

func (r checkoutRow) checkout() (payment.Checkout, error) {
	var ch orderedRow
	if err := json.Unmarshal(r.Choice, &ch); err != nil {
		return payment.Checkout{}, fmt.Errorf("read checkout %s: %w", r.ID, err)
	}
	return payment.Checkout{
		ID: payment.CheckoutID(r.ID), CustomerID: account.CustomerID(r.CustomerID), By: account.UserID(r.OrderedBy),
		Choice: order.Choice{
			Plan: pricing.PlanID(ch.Plan), Region: order.Region(ch.Region), BusinessType: ch.BusinessType, Provider: ch.Provider,
			Domain: ch.Domain, ApproverKey: ch.ApproverKey, Passkey: ch.Passkey, Snapshots: ch.Snapshots, ApproverBox: ch.ApproverBox,
			AdminKey: ch.AdminKey,
		},
		Price: pricing.Cents(r.Price), Currency: r.Currency, State: payment.CheckoutState(r.State), OrderID: order.ID(r.OrderID),
		ToldAt: r.ToldAt, CreatedAt: r.CreatedAt,
	}, nil
}

// Begin stores a checkout, with its customer when that is new, and queues follow.
func (s *Payments) Begin(ctx context.Context, c payment.Checkout, acc *account.New, follow []work.Item) error {
	row, err := toCheckoutRow(c)
	if err != nil {
		return err
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if acc != nil {
			if err := insertAccount(ctx, tx, *acc); err != nil {
				return err
			}
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("store checkout: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}

// Waiting finds the newest open checkout of a customer.
func (s *Payments) Waiting(ctx context.Context, of account.CustomerID) (payment.Checkout, error) {
	var row checkoutRow
	err := s.DB.bun(ctx).NewSelect().Model(&row).Where("pc.customer_id = ?", of).Where("pc.state = 'open'").
		Order("pc.id DESC").Limit(1).Scan(ctx)
	if err != nil {
		return payment.Checkout{}, fmt.Errorf("load checkout: %w", toFault(err))
	}
	return row.checkout()
}

// Checkout finds a checkout whoever has it.
func (s *Payments) Checkout(ctx context.Context, id payment.CheckoutID) (payment.Checkout, error) {
	var row checkoutRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("pc.id = ?", id).Scan(ctx); err != nil {
		return payment.Checkout{}, fmt.Errorf("load checkout: %w", toFault(err))
	}
	return row.checkout()
}

// hasOrder leaves checkouts of customers who have an order by now; undecided leaves those that a bank may still pay.
const (
	hasOrder  = "EXISTS (SELECT FROM orders AS o WHERE o.customer_id = pc.customer_id AND o.state NOT IN ('CANCELLED', 'RELEASED'))"
	undecided = `EXISTS (SELECT FROM payments AS p WHERE p.checkout_id = pc.id AND p.state IN ('asked', 'waiting', 'processing'))`
)

// CloseOld closes open checkouts of before that no payment is under way for, and says how many.
func (s *Payments) CloseOld(ctx context.Context, before time.Time) (int, error) {
	res, err := s.DB.bun(ctx).NewUpdate().Model((*checkoutRow)(nil)).Set("state = 'closed'").Where("pc.state = 'open'").
		Where("pc.created_at < ?", before).Where("NOT " + undecided).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("close checkouts: %w", toFault(err))
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// TellWaiting queues letters about checkouts that have waited since before and that nobody was told of, and says how many.
func (s *Payments) TellWaiting(ctx context.Context, now, before time.Time, letter string) (int, error) {
	return s.tell(ctx, now, letter, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Where("pc.created_at < ?", before).Where("NOT " + hasOrder).
			Where("NOT EXISTS (SELECT FROM pending_checkouts AS n WHERE n.customer_id = pc.customer_id AND n.id > pc.id)").
			Where("NOT EXISTS (SELECT FROM payments AS p WHERE p.checkout_id = pc.id AND p.state IN ('processing', 'paid'))")
	})
}

// TellOne queues the letter about one checkout, once.
func (s *Payments) TellOne(ctx context.Context, id payment.CheckoutID, now time.Time, letter string) error {
	_, err := s.tell(ctx, now, letter, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("pc.id = ?", id) })
	return err
}

func (s *Payments) tell(ctx context.Context, now time.Time, letter string, which func(*bun.UpdateQuery) *bun.UpdateQuery) (int, error) {
	var told []checkoutRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		q := tx.NewUpdate().Model((*checkoutRow)(nil)).Set("told_at = ?", now).Where("pc.state = 'open'").Where("pc.told_at IS NULL")
		if err := which(q).Returning("pc.id, pc.ordered_by").Scan(ctx, &told); err != nil {
			return fmt.Errorf("note who was told of a checkout: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, each(told, func(r checkoutRow) work.Item {
			return work.SendMail{Template: letter, UserID: r.OrderedBy, Ref: r.ID}
		}))
	})
	return len(told), err
}
