package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/work"
)

// Billing keeps periods and invoices. It is billing.Store.
type Billing struct {
	DB   *DB
	Jobs Enqueuer
}

var _ billing.Store = (*Billing)(nil)

// periodRow mirrors table billing_periods.
type periodRow struct {
	bun.BaseModel `bun:"table:billing_periods,alias:bp"`
	ID            string         `bun:"id,pk,type:uuid"`
	CustomerID    string         `bun:"customer_id"`
	Number        int            `bun:"number"`
	Anchor        time.Time      `bun:"anchor"`
	From          time.Time      `bun:"from_at"`
	To            time.Time      `bun:"to_at"`
	FullTo        time.Time      `bun:"full_to"`
	State         string         `bun:"state"`
	Plans         []billing.Span `bun:"plans,type:jsonb"`
	Multiplier    int64          `bun:"multiplier"`
	ClosedAt      time.Time      `bun:"closed_at,nullzero"`
	BilledAt      time.Time      `bun:"billed_at,nullzero"`
	Held          string         `bun:"held"`
}

func toPeriodRow(p billing.Period) *periodRow {
	return &periodRow{
		ID: string(p.ID), CustomerID: string(p.CustomerID), Number: p.Number, Anchor: p.Anchor, From: p.From, To: p.To, FullTo: p.FullTo,
		State: string(p.State), Plans: p.Plans, Multiplier: p.Multiplier, ClosedAt: p.ClosedAt, BilledAt: p.BilledAt, Held: p.Held,
	}
}

func (r periodRow) period() billing.Period {
	return billing.Period{
		ID: billing.PeriodID(r.ID), CustomerID: account.CustomerID(r.CustomerID), Number: r.Number, Anchor: r.Anchor.UTC(),
		From: r.From.UTC(), To: r.To.UTC(), FullTo: r.FullTo.UTC(), State: billing.PeriodState(r.State), Plans: r.Plans,
		Multiplier: r.Multiplier,
		ClosedAt:   r.ClosedAt, BilledAt: r.BilledAt, Held: r.Held,
	}
}

// Begin keeps a period, unless the customer has one that runs or one of that number.
func (s *Billing) Begin(ctx context.Context, p billing.Period) (begun bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewInsert().Model(toPeriodRow(p)).On("CONFLICT DO NOTHING").Exec(ctx)
		if err != nil {
			return fmt.Errorf("begin period: %w", toFault(err))
		}
		n, err := res.RowsAffected()
		if begun = n == 1; err != nil || !begun {
			return err
		}
		over, err := tx.NewSelect().Model((*cancellationRow)(nil)).Where("cn.customer_id = ?", p.CustomerID).Where(stillOpen).
			Where("cn.ends_at <= ?", p.From).Exists(ctx)
		if err != nil {
			return fmt.Errorf("begin period: look for a cancellation: %w", toFault(err))
		}
		if over {
			return errOver
		}
		return s.tellTeam(ctx, tx, p.CustomerID)
	})
	if errors.Is(err, errOver) {
		return false, nil
	}
	return begun, err
}

// errOver takes the beginning of a period back whose customer has cancelled.
var errOver = errors.New("the plan is cancelled")

// tellTeam has the customer's server hear of its pool, in the transaction that changes it.
func (s *Billing) tellTeam(ctx context.Context, tx Tx, of account.CustomerID) error {
	return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.RefreshTeam{CustomerID: string(of)}})
}

// Period finds a period, whoever has it.
func (s *Billing) Period(ctx context.Context, id billing.PeriodID) (billing.Period, error) {
	return s.onePeriod(ctx, s.DB.bun(ctx).NewSelect().Where("bp.id = ?", id))
}

// ActiveOf finds the period of a customer that runs.
func (s *Billing) ActiveOf(ctx context.Context, of account.CustomerID) (billing.Period, error) {
	return s.onePeriod(ctx, s.DB.bun(ctx).NewSelect().Where("bp.customer_id = ?", of).Where("bp.state = ?", billing.Active))
}

// PeriodAt finds the period of a customer that a moment belongs to.
func (s *Billing) PeriodAt(ctx context.Context, of account.CustomerID, at time.Time) (billing.Period, error) {
	return s.onePeriod(ctx, s.DB.bun(ctx).NewSelect().Where("bp.customer_id = ?", of).
		Where("bp.from_at <= ?", at).Where("bp.to_at > ?", at).OrderExpr("bp.from_at DESC").Limit(1))
}

func (s *Billing) onePeriod(ctx context.Context, q *bun.SelectQuery) (billing.Period, error) {
	var row periodRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return billing.Period{}, fmt.Errorf("find period: %w", toFault(err))
	}
	return row.period(), nil
}

// ChangePeriod locks a period, runs fn on it and keeps what fn made of it, with the period that follows when fn gives one.
func (s *Billing) ChangePeriod(
	ctx context.Context, id billing.PeriodID, fn func(context.Context, *billing.Period) (*billing.Period, error),
) (p billing.Period, err error) {
	err = s.ChangePeriods(ctx, []billing.PeriodID{id}, func(ctx context.Context, all []*billing.Period) ([]billing.Period, error) {
		next, err := fn(ctx, all[0])
		p = *all[0]
		if err != nil || next == nil {
			return nil, err
		}
		return []billing.Period{*next}, nil
	})
	return p, err
}

// ChangePeriods locks periods, runs fn on them and keeps what fn made of them, with those that follow.
func (s *Billing) ChangePeriods(
	ctx context.Context, ids []billing.PeriodID, fn func(context.Context, []*billing.Period) ([]billing.Period, error),
) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var rows []periodRow
		err := tx.NewSelect().Model(&rows).Where("bp.id IN (?)", bun.List(texts(ids))).Order("bp.id").For("UPDATE").Scan(ctx)
		if err != nil {
			return fmt.Errorf("find periods: %w", toFault(err))
		}
		if len(rows) < len(ids) {
			return fmt.Errorf("find period: %w", ErrNotFound)
		}
		all := each(rows, func(r periodRow) *billing.Period { p := r.period(); return &p })
		next, err := fn(ctx, all)
		if err != nil {
			return err
		}
		changed := each(all, func(p *billing.Period) *periodRow { return toPeriodRow(*p) })
		_, err = tx.NewUpdate().Model(&changed).
			Column("to_at", "full_to", "state", "plans", "multiplier", "closed_at", "billed_at", "held").Bulk().Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep periods: %w", toFault(err))
		}
		if err := beginNext(ctx, tx, next); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, each(changed, func(r *periodRow) work.Item {
			return work.RefreshTeam{CustomerID: r.CustomerID}
		}))
	})
}

func beginNext(ctx context.Context, tx Tx, next []billing.Period) error {
	if len(next) == 0 {
		return nil
	}
	rows := each(next, toPeriodRow)
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return fmt.Errorf("begin next periods: %w", toFault(err))
	}
	return nil
}
