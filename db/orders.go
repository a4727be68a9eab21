package db

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// Orders keeps orders and their history. It is order.Store.
type Orders struct {
	DB   *DB
	Jobs Enqueuer
}

var _ order.Store = (*Orders)(nil)

// orderRow mirrors table orders.
type orderRow struct {
	bun.BaseModel `bun:"table:orders,alias:o"`
	ID            string    `bun:"id,pk"`
	Number        int64     `bun:"number"` // given by the database
	CustomerID    string    `bun:"customer_id"`
	OrderedBy     string    `bun:"ordered_by"`
	Plan          string    `bun:"plan"`
	Price         int64     `bun:"price"` // cents a month
	Currency      string    `bun:"currency"`
	PaidBy        string    `bun:"paid_by"`
	Region        string    `bun:"region"`
	Provider      string    `bun:"provider"`
	BusinessType  string    `bun:"business_type"`
	Slug          string    `bun:"slug"`
	Domain        string    `bun:"domain"`
	ApproverKey   string    `bun:"approver_key"`
	Passkey       string    `bun:"approver_passkey"`
	ApproverBox   string    `bun:"approver_box"`
	AdminKey      string    `bun:"admin_key"`
	Mode          string    `bun:"mode"`
	State         string    `bun:"state"`
	FailedStep    string    `bun:"failed_step,nullzero"`
	Reason        string    `bun:"reason"`
	Attempt       int       `bun:"attempt"`
	ServerID      string    `bun:"server_id,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	UpdatedAt     time.Time `bun:"updated_at"`
	FulfilledAt   time.Time `bun:"fulfilled_at,nullzero"`
	Standing      string    `bun:"standing"`
	Replaces      string    `bun:"replaces,nullzero"`
	EndReason     string    `bun:"end_reason"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
	ReleaseAt     time.Time `bun:"release_at,nullzero"`
	ToldLateAt    time.Time `bun:"told_late_at,nullzero,scanonly"` // these two belong to order_alerts.go
	Alerted       string    `bun:"alerted,scanonly"`
	CustomerName  string    `bun:"customer_name,scanonly"` // kept by the database
}

// mainStanding is how order.Main stands in rows.
const mainStanding = "main"

func toOrderRow(o order.Order) *orderRow {
	return &orderRow{
		ID: string(o.ID), Number: o.Number, CustomerID: string(o.CustomerID), OrderedBy: string(o.OrderedBy), Plan: string(o.Plan),
		Price: int64(o.Price), Currency: o.Currency, PaidBy: o.PaidBy, Region: string(o.Region), Provider: o.Provider,
		BusinessType: o.BusinessType,
		Slug:         o.Slug, Domain: o.Domain, ApproverKey: o.ApproverKey, Passkey: o.Passkey,
		ApproverBox: o.ApproverBox, AdminKey: o.AdminKey, Mode: string(o.Mode), State: string(o.State),
		FailedStep: string(o.FailedStep), Reason: o.Reason,
		Attempt: o.Attempt, ServerID: o.ServerID, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, FulfilledAt: o.FulfilledAt,
		Standing: cmp.Or(
			string(o.Standing),
			mainStanding,
		), Replaces: string(o.Replaces), EndReason: string(o.EndReason), EndedAt: o.EndedAt, ReleaseAt: o.ReleaseAt,
	}
}

func (r orderRow) order() order.Order {
	o := order.Order{
		ID: order.ID(r.ID), Number: r.Number, CustomerID: account.CustomerID(r.CustomerID), OrderedBy: account.UserID(r.OrderedBy),
		Plan: pricing.PlanID(r.Plan), Price: pricing.Cents(r.Price), Currency: r.Currency, PaidBy: r.PaidBy,
		Region: order.Region(r.Region), Provider: r.Provider, BusinessType: r.BusinessType, Slug: r.Slug, Domain: r.Domain,
		ApproverKey: r.ApproverKey, Passkey: r.Passkey, ApproverBox: r.ApproverBox, AdminKey: r.AdminKey,
		Mode: order.Mode(r.Mode), State: order.State(r.State), FailedStep: order.State(r.FailedStep), Reason: r.Reason,
		Attempt:  r.Attempt,
		ServerID: r.ServerID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, FulfilledAt: r.FulfilledAt,
		Replaces: order.ID(r.Replaces), EndReason: order.EndReason(r.EndReason), EndedAt: r.EndedAt, ReleaseAt: r.ReleaseAt,
	}
	if r.Standing != mainStanding {
		o.Standing = order.Standing(r.Standing)
	}
	return o
}

// Create stores the order, its customer when new, its events and its work.
func (s *Orders) Create(ctx context.Context, n order.New) (order.Order, error) {
	row := toOrderRow(n.Order)
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if n.Account != nil {
			if err := insertAccount(ctx, tx, *n.Account); err != nil {
				return err
			}
		}
		if _, err := tx.NewInsert().Model(row).ExcludeColumn("number").Returning("number").Exec(ctx, &row.Number); err != nil {
			if violated(err, "orders_one") {
				return order.ErrOneOrder
			}
			return fmt.Errorf("store order: %w", toFault(err))
		}
		if n.Snapshots {
			consent := consentRow{CustomerID: row.CustomerID, UserID: row.OrderedBy, At: row.CreatedAt}
			if _, err := insertConsent(ctx, tx, consent); err != nil {
				return err
			}
		}
		return s.apply(ctx, tx, row, n.Change)
	})
	return row.order(), err
}

// Change locks the customer's order, runs fn on it, saves it with its events, its record and its work.
func (s *Orders) Change(
	ctx context.Context, of account.CustomerID, id order.ID, fn func(*order.Order) (order.Change, error),
) (order.Order, error) {
	var o order.Order
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row orderRow
		if err := tx.NewSelect().Model(&row).Where("o.customer_id = ?", of).Where("o.id = ?", id).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load order: %w", toFault(err))
		}
		o = row.order()
		ch, err := fn(&o)
		if err != nil {
			return err
		}
		if err := s.former(ctx, tx, o, ch); err != nil {
			return err
		}
		changed := toOrderRow(o)
		if _, err := tx.NewUpdate().Model(changed).ExcludeColumn("number").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("save order: %w", toFault(err))
		}
		return s.apply(ctx, tx, changed, ch)
	})
	return o, err
}

func (s *Orders) apply(ctx context.Context, tx Tx, row *orderRow, ch order.Change) error {
	if err := insertEvents(ctx, tx, row.ID, ch.Events); err != nil {
		return err
	}
	if ch.Audit != nil {
		if err := writeAudit(ctx, tx, *ch.Audit); err != nil {
			return err
		}
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, ch.Work)
}

// Get finds an order of that customer.
func (s *Orders) Get(ctx context.Context, of account.CustomerID, id order.ID) (order.Order, error) {
	return s.one(ctx, s.DB.bun(ctx).NewSelect().Where("o.customer_id = ?", of).Where("o.id = ?", id))
}

// Of finds the order that counts for that customer.
func (s *Orders) Of(ctx context.Context, of account.CustomerID) (order.Order, error) {
	return s.one(ctx, s.DB.bun(ctx).NewSelect().Where("o.customer_id = ?", of).
		OrderExpr("CASE o.standing WHEN 'main' THEN 0 WHEN 'next' THEN 1 ELSE 2 END, o.id DESC").Limit(1))
}

// Find finds an order whoever has it, with the name of its customer.
func (s *Orders) Find(ctx context.Context, id order.ID) (order.Order, error) {
	var row namedOrder
	err := s.DB.NewSelect().Model(&row).Column("o.*").Where("o.id = ?", id).Scan(ctx)
	if err != nil {
		return order.Order{}, fmt.Errorf("load order: %w", toFault(err))
	}
	return row.order(), nil
}

func (s *Orders) one(ctx context.Context, q *bun.SelectQuery) (order.Order, error) {
	var row orderRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return order.Order{}, fmt.Errorf("load order: %w", toFault(err))
	}
	return row.order(), nil
}

// namedOrder is an order with the name of its customer.
type namedOrder struct {
	orderRow `bun:",extend"`
}

func (r namedOrder) order() order.Order {
	o := r.orderRow.order()
	o.CustomerName = r.CustomerName
	return o
}

// List gives the orders that f leaves with the names of their customers, in the order that f asks for.
func (s *Orders) List(ctx context.Context, f order.Filter, ask page.Ask) (page.Of[order.Order], error) {
	var rows []namedOrder
	q := s.DB.NewSelect().
		Model(&rows).
		Column("o.*")
	if ask.Search != "" {
		q = q.Join("JOIN customers AS c ON c.id = o.customer_id")
	}
	few, err := s.few(ctx, f, ask)
	if err != nil {
		return page.Of[order.Order]{}, err
	}
	if few {
		q = s.fewPage(q, f, ask)
	} else {
		q = orderSort(orderFilter(searched(q, ask, "o.id", "o.number"), f), f.Sort, orderColumns, ask)
	}
	if err := q.Scan(ctx); err != nil {
		return page.Of[order.Order]{}, fmt.Errorf("list orders: %w", toFault(err))
	}
	return page.Cut(each(rows, namedOrder.order), ask.Limit, orderMark(f.Sort)), nil
}

// Stranded lists live orders in mode AUTO, and those that give back, unchanged since before, for which no job is queued or running.
func (s *Orders) Stranded(ctx context.Context, before time.Time) ([]order.Order, error) {
	var rows []orderRow
	err := s.DB.NewSelect().Model(&rows).
		Where("o.mode = 'AUTO' OR o.state IN ('STOPPING', 'RELEASING')").
		Where("o.state NOT IN ('FULFILLED', 'FAILED', 'CANCELLED', 'ENDED', 'RELEASED')").Where("o.updated_at < ?", before).
		Where(`NOT EXISTS (SELECT FROM river_job AS j WHERE j.kind = 'advance_order' AND j.args->>'order_id' = o.id::text
			AND j.state IN ('available', 'pending', 'retryable', 'running', 'scheduled'))`).
		Order("o.id").Limit(100).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list stranded orders: %w", toFault(err))
	}
	return each(rows, orderRow.order), nil
}
