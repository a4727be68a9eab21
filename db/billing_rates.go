package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/billing/rates"
	"gatehouse/app/pricing"
)

// RateLooks keeps how the last look for the exchange rate went. It is rates.Store.
type RateLooks struct{ DB *DB }

var _ rates.Store = (*RateLooks)(nil)

// rateLookRow mirrors table rate_looks.
type rateLookRow struct {
	bun.BaseModel `bun:"table:rate_looks,alias:rl"`
	One           bool      `bun:"one,pk"`
	Since         time.Time `bun:"since"`
	At            time.Time `bun:"at"`
	Day           time.Time `bun:"day,type:date,nullzero"`
	Problem       string    `bun:"problem"`
	Offered       int64     `bun:"offered"`
	Alert         bool      `bun:"alert"`
}

// Look reads it; the zero value when there was none yet.
func (s *RateLooks) Look(ctx context.Context) (rates.Look, error) {
	var r rateLookRow
	err := s.DB.bun(ctx).NewSelect().Model(&r).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return rates.Look{}, nil
	}
	if err != nil {
		return rates.Look{}, fmt.Errorf("read look for a rate: %w", toFault(err))
	}
	return rates.Look{
		Since: r.Since.UTC(), At: r.At.UTC(), Day: r.Day.UTC(), Problem: rates.Problem(r.Problem), Offered: pricing.Rate(r.Offered),
		Alert: r.Alert,
	}, nil
}

// Keep keeps it in the place of the one before.
func (s *RateLooks) Keep(ctx context.Context, l rates.Look) error {
	row := &rateLookRow{
		One: true, Since: l.Since, At: l.At, Day: l.Day, Problem: string(l.Problem), Offered: int64(l.Offered), Alert: l.Alert,
	}
	_, err := s.DB.bun(ctx).NewInsert().Model(row).On("CONFLICT (one) DO UPDATE").
		Set("at = EXCLUDED.at, day = EXCLUDED.day, problem = EXCLUDED.problem, offered = EXCLUDED.offered, alert = EXCLUDED.alert").
		Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep look for a rate: %w", toFault(err))
	}
	return nil
}
