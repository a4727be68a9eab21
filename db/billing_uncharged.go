package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/billing"
)

// outsideQuery adds up what is in no period, by the period that it follows. What a period that runs is still to reach counts as in the
// one after.
const outsideQuery = `SELECT p.number IS NULL AS before, min(b.hour) AS from_at, max(b.hour) AS to_at,
	sum(b.input + b.output + b.cache_read + b.cache_write)::bigint AS tokens
	FROM usage_buckets AS b LEFT JOIN LATERAL (SELECT number, to_at, state FROM billing_periods
		WHERE customer_id = b.customer_id AND from_at <= b.hour ORDER BY from_at DESC LIMIT 1) AS p ON true
	WHERE b.customer_id = ? AND b.key = 'house' AND (p.number IS NULL OR p.to_at <= b.hour AND p.state <> 'ACTIVE')
	GROUP BY p.number ORDER BY p.number NULLS FIRST`

// OutsidePeriods adds up what a customer used in no period.
func (s *Billing) OutsidePeriods(ctx context.Context, of account.CustomerID) (all []billing.Uncharged, err error) {
	var rows []struct {
		Before bool
		FromAt time.Time
		ToAt   time.Time
		Tokens int64
	}
	if err := s.DB.bun(ctx).NewRaw(outsideQuery, of).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("add up usage in no period: %w", toFault(err))
	}
	for _, r := range rows {
		u := billing.Uncharged{Why: billing.BetweenMonths, From: r.FromAt.UTC(), To: r.ToAt.UTC().Add(time.Hour), Tokens: r.Tokens}
		if r.Before {
			u.Why = billing.BeforeMonths
		}
		all = append(all, u)
	}
	return all, nil
}

// HasOpen says whether a customer has a period that is not billed yet.
func (s *Billing) HasOpen(ctx context.Context, of account.CustomerID) (bool, error) {
	open, err := s.DB.bun(ctx).NewSelect().Model((*periodRow)(nil)).Where("bp.customer_id = ?", of).
		Where("bp.state IN ('ACTIVE', 'CLOSED')").Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("find open period: %w", toFault(err))
	}
	return open, nil
}
