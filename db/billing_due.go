package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// Beginners lists customers whose server is ready, who have no period that runs, and whose plan is not cancelled for now or before.
func (s *Billing) Beginners(
	ctx context.Context, now time.Time, after account.CustomerID, limit int,
) (all []account.CustomerID, err error) {
	q := s.DB.bun(ctx).NewSelect().TableExpr("orders AS o").Column("o.customer_id").
		Where("o.standing = 'main'").Where("o.state = 'FULFILLED'").
		Where("NOT EXISTS (SELECT FROM billing_periods AS bp WHERE bp.customer_id = o.customer_id AND bp.state = 'ACTIVE')").
		Where("NOT EXISTS (SELECT FROM billing_cancellations AS cn WHERE cn.customer_id = o.customer_id AND cn.ends_at <= ? AND "+
			stillOpen+")", now).
		Order("o.customer_id").Limit(int64(limit))
	if after != "" {
		q = q.Where("o.customer_id > ?", after)
	}
	if err = q.Scan(ctx, &all); err != nil {
		return nil, fmt.Errorf("list beginners: %w", toFault(err))
	}
	return all, nil
}

// behind leaves the periods that stand behind a place, those that wait for something last.
func behind(q *bun.SelectQuery, after billing.Place) *bun.SelectQuery {
	if after.ID != "" {
		q = q.Where("(bp.held <> '', bp.to_at, bp.id) > (?, ?, ?::uuid)", after.Held, after.To, string(after.ID))
	}
	return q.OrderExpr("bp.held <> ''").Order("bp.to_at", "bp.id")
}

// Ending lists periods that run, and whose time is over or whose customer has no server any more.
func (s *Billing) Ending(ctx context.Context, now time.Time, after billing.Place, limit int) ([]billing.Period, error) {
	var rows []periodRow
	err := behind(s.DB.bun(ctx).NewSelect().Model(&rows), after).Where("bp.state = 'ACTIVE'").
		Where(`bp.to_at <= ? OR NOT EXISTS (SELECT FROM orders AS o WHERE o.customer_id = bp.customer_id AND o.standing = 'main'
			AND o.state = 'FULFILLED')`, now).Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list ending periods: %w", toFault(err))
	}
	return each(rows, periodRow.period), nil
}

// firstClosed are the closed periods before which none of their customer waits. Postgres sorts them once, however many there are and
// whatever it guesses about that.
const firstClosed = `(SELECT DISTINCT ON (customer_id) * FROM billing_periods WHERE state = 'CLOSED' ORDER BY customer_id, number) AS bp`

// Unbilled lists closed periods that ended until then, and before which none of their customer waits.
func (s *Billing) Unbilled(ctx context.Context, until time.Time, after billing.Place, limit int) ([]billing.Period, error) {
	var rows []periodRow
	err := behind(s.DB.bun(ctx).NewSelect().Model(&rows).ModelTableExpr(firstClosed), after).Where("bp.to_at <= ?", until).
		Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list unbilled periods: %w", toFault(err))
	}
	return each(rows, periodRow.period), nil
}

// BilledBefore lists the newest billed periods of a customer that began before then, newest first.
func (s *Billing) BilledBefore(
	ctx context.Context, of account.CustomerID, before time.Time, limit int,
) ([]billing.BilledPeriod, error) {
	var ids []billing.PeriodID
	err := s.DB.bun(ctx).NewSelect().Model((*periodRow)(nil)).Column("bp.id").Where("bp.customer_id = ?", of).Where("bp.state = 'BILLED'").
		Where("bp.from_at < ?", before).Order("bp.from_at DESC").Limit(int64(limit)).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return nil, toFault(err)
	}
	found, err := s.billed(ctx, ids)
	return each(ids, func(id billing.PeriodID) billing.BilledPeriod { return found[id] }), err
}

// BilledPeriod finds a billed period, whoever has it.
func (s *Billing) BilledPeriod(ctx context.Context, id billing.PeriodID) (billing.BilledPeriod, error) {
	found, err := s.billed(ctx, []billing.PeriodID{id})
	if err != nil {
		return billing.BilledPeriod{}, err
	}
	b, ok := found[id]
	if !ok {
		return b, fmt.Errorf("find period: %w", ErrNotFound)
	}
	return b, nil
}

// ChangePlan locks a period, runs fn on it, keeps its plans and the plan of the customer's order, and records e.
func (s *Billing) ChangePlan(
	ctx context.Context, id billing.PeriodID, plan pricing.PlanID, e audit.Entry, fn func(context.Context, *billing.Period) error,
) (p billing.Period, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		p, err = s.ChangePeriod(ctx, id, func(ctx context.Context, p *billing.Period) (*billing.Period, error) { return nil, fn(ctx, p) })
		if err != nil {
			return err
		}
		_, err := tx.NewUpdate().Table("orders").Set("plan = ?", plan).Set("price = ?", p.Plan().Monthly).Set("updated_at = ?", e.At).
			Where("customer_id = ?", p.CustomerID).Where("standing = 'main'").Where("state = 'FULFILLED'").Exec(ctx)
		if err != nil {
			return fmt.Errorf("change plan of order: %w", toFault(err))
		}
		if err := s.tellOwners(ctx, tx, p.CustomerID, billing.LetterPlan, string(id)+"."+e.ID); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
	return p, err
}

// Hold keeps why a closed period has no invoice yet, and queues a letter to the owners, where one is named.
func (s *Billing) Hold(ctx context.Context, id billing.PeriodID, why, letter string, at time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		told := false
		p, err := s.ChangePeriod(ctx, id, func(_ context.Context, p *billing.Period) (*billing.Period, error) {
			if p.State == billing.Closed && p.Held != why {
				p.Held, told = why, true
			}
			return nil, nil
		})
		if err != nil || !told || letter == "" {
			return err
		}
		_, err = tx.NewUpdate().Model((*periodRow)(nil)).Set("asked_at = ?", at).Where("bp.id = ?", id).Exec(ctx)
		if err != nil {
			return fmt.Errorf("note that owners are asked: %w", toFault(err))
		}
		return s.tellOwners(ctx, tx, p.CustomerID, letter, string(id))
	})
}

// AskAgain queues letters about months that still wait.
func (s *Billing) AskAgain(ctx context.Context, why, letter string, closed, before, at time.Time) (n int, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var rows []periodRow
		err := tx.NewSelect().Model(&rows).Where("bp.state = 'CLOSED'").Where("bp.held = ?", why).Where("bp.closed_at > ?", closed).
			Where("coalesce(bp.asked_at, bp.closed_at) <= ?", before).Order("bp.id").Limit(100).For("UPDATE SKIP LOCKED").Scan(ctx)
		if err != nil {
			return fmt.Errorf("list months that wait: %w", toFault(err))
		}
		for _, r := range rows {
			_, err := tx.NewUpdate().Model((*periodRow)(nil)).Set("asked_at = ?", at).Where("bp.id = ?", r.ID).Exec(ctx)
			if err != nil {
				return fmt.Errorf("note that owners are asked: %w", toFault(err))
			}
			ref := r.ID + "." + at.UTC().Format(time.DateOnly) // a letter of its own
			if err := s.tellOwners(ctx, tx, account.CustomerID(r.CustomerID), letter, ref); err != nil {
				return err
			}
		}
		n = len(rows)
		return nil
	})
	return n, err
}

// OpenPeriods lists periods that are not billed, oldest first.
func (s *Billing) OpenPeriods(ctx context.Context, limit int) ([]billing.Period, error) {
	var rows []periodRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("bp.state IN ('ACTIVE', 'CLOSED')").Order("bp.to_at", "bp.id").
		Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list open periods: %w", toFault(err))
	}
	return each(rows, periodRow.period), nil
}

// Running is a page of the periods that run, the newest first.
func (s *Billing) Running(ctx context.Context, ask page.Ask) (page.Of[billing.Period], error) {
	var rows []periodRow
	q := s.DB.bun(ctx).NewSelect().Model(&rows).Where("bp.state = 'ACTIVE'")
	if err := newestFirst(q, "bp", ask).Scan(ctx); err != nil {
		return page.Of[billing.Period]{}, fmt.Errorf("list running periods: %w", toFault(err))
	}
	return page.Cut(each(rows, periodRow.period), ask.Limit, func(p billing.Period) string { return string(p.ID) }), nil
}
