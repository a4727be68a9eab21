package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/work"
)

// FillsDue lists periods that run and whose pool is to be looked at by now, those that were never looked at first.
func (s *Billing) FillsDue(ctx context.Context, now time.Time, limit int) ([]billing.Period, error) {
	var rows []periodRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Join("LEFT JOIN pool_fills AS f ON f.period_id = bp.id").
		Where("bp.state = 'ACTIVE'").Where("coalesce(f.next_at, '-infinity') <= ?", now).
		OrderExpr("f.next_at NULLS FIRST, bp.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list pools to look at: %w", toFault(err))
	}
	return each(rows, periodRow.period), nil
}

// keepFill locks the row of the period also where it changes nothing: whoever looked at the same time then waits, and finds the notice.
const keepFill = `INSERT INTO pool_fills AS f (period_id, drawn, pool, at, next_at) VALUES (@period, @drawn, @pool, @at, @next)
	ON CONFLICT (period_id) DO UPDATE SET drawn = excluded.drawn, pool = excluded.pool, at = excluded.at, next_at = excluded.next_at
	WHERE f.at <= excluded.at`

// keepNotice keeps a notice of which nobody was told in the period, nor of a larger part.
const keepNotice = `INSERT INTO pool_notices (id, period_id, percent, drawn, pool, at)
	SELECT @id, @period, @percent::smallint, @drawn, @pool, @at
	WHERE @percent::smallint > 0
		AND NOT EXISTS (SELECT FROM pool_notices WHERE period_id = @period AND percent >= @percent::smallint)`

// KeepFill keeps how full a pool is, and a notice that is new, with the letters and messages that tell it.
func (s *Billing) KeepFill(ctx context.Context, f billing.Fill, n billing.PoolNotice) (told bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.PGX.Exec(ctx, keepFill, cached,
			named{"period": f.Period, "drawn": f.Drawn, "pool": f.Pool, "at": f.At, "next": f.Again()})
		if err != nil {
			return fmt.Errorf("keep how full a pool is: %w", toFault(err))
		}
		done, err := tx.PGX.Exec(ctx, keepNotice, cached,
			named{"id": n.ID, "period": f.Period, "percent": n.Percent, "drawn": f.Drawn, "pool": f.Pool, "at": f.At})
		if err != nil {
			return fmt.Errorf("keep notice of a pool: %w", toFault(err))
		}
		if told = done.RowsAffected() == 1; !told {
			return nil
		}
		return s.tellOfPool(ctx, tx, n)
	})
	return told && err == nil, err
}

// tellOfPool queues a letter to each owner, and a message to each of their devices.
func (s *Billing) tellOfPool(ctx context.Context, tx Tx, n billing.PoolNotice) error {
	owners, err := ownersOf(ctx, tx, string(n.CustomerID))
	if err != nil {
		return err
	}
	items := each(owners, func(id string) work.Item { return work.SendMail{Template: n.Letter(), UserID: id, Ref: n.ID} })
	devices, err := devicesOf(ctx, tx, owners)
	if err != nil {
		return err
	}
	for _, id := range devices {
		items = append(items, work.TellPool{DeviceID: id, Percent: n.Percent})
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, items)
}

// fillRow is a row of pool_fills or pool_notices with its period.
type fillRow struct {
	ID         string    `bun:"id"`
	PeriodID   string    `bun:"period_id"`
	CustomerID string    `bun:"customer_id"`
	Percent    int       `bun:"percent"`
	Drawn      int64     `bun:"drawn"`
	Pool       int64     `bun:"pool"`
	At         time.Time `bun:"at"`
	To         time.Time `bun:"to_at"`
}

func (r fillRow) notice() billing.PoolNotice {
	return billing.PoolNotice{ID: r.ID, Percent: r.Percent, Fill: billing.Fill{
		Period: billing.PeriodID(r.PeriodID), CustomerID: account.CustomerID(r.CustomerID), Drawn: r.Drawn, Pool: r.Pool,
		At: r.At.UTC(), Until: r.To.UTC(),
	}}
}

// FillOf is how full the pool of the customer's period that runs was when it was looked at last.
func (s *Billing) FillOf(ctx context.Context, of account.CustomerID) (billing.Fill, error) {
	n, err := s.fill(ctx, s.DB.bun(ctx).NewSelect().TableExpr("pool_fills AS f").
		Where("bp.customer_id = ?", of).Where("bp.state = 'ACTIVE'"))
	return n.Fill, err
}

// PoolNotice finds a notice, whoever it is about.
func (s *Billing) PoolNotice(ctx context.Context, id string) (billing.PoolNotice, error) {
	return s.fill(ctx, s.DB.bun(ctx).NewSelect().TableExpr("pool_notices AS f").Column("f.id", "f.percent").Where("f.id = ?", id))
}

func (s *Billing) fill(ctx context.Context, q *bun.SelectQuery) (billing.PoolNotice, error) {
	var row fillRow
	err := q.Column("f.period_id", "f.drawn", "f.pool", "f.at", "bp.customer_id", "bp.to_at").
		Join("JOIN billing_periods AS bp ON bp.id = f.period_id").Scan(ctx, &row)
	if err != nil {
		return billing.PoolNotice{}, fmt.Errorf("find how full a pool is: %w", toFault(err))
	}
	return row.notice(), nil
}
