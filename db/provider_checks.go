package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/pool"
	"gatehouse/app/providers"
)

// ProviderChecks keeps what providers answered last. It is providers.CheckStore.
type ProviderChecks struct{ DB *DB }

var _ providers.CheckStore = (*ProviderChecks)(nil)

// checkRow mirrors table provider_checks.
type checkRow struct {
	bun.BaseModel `bun:"table:provider_checks,alias:c"`
	Provider      string    `bun:"provider,pk"`
	At            time.Time `bun:"at"`
	By            string    `bun:"by_name"`
	OK            bool      `bun:"ok"`
	Said          string    `bun:"said"`
}

// Checks are those that were made, by provider.
func (s *ProviderChecks) Checks(ctx context.Context) (map[string]providers.Check, error) {
	var rows []checkRow
	if err := s.DB.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read checks of providers: %w", toFault(err))
	}
	all := map[string]providers.Check{}
	for _, r := range rows {
		all[r.Provider] = providers.Check{Provider: r.Provider, At: r.At, By: r.By, OK: r.OK, Said: r.Said}
	}
	return all, nil
}

// Used counts the servers that each provider runs now.
func (s *ProviderChecks) Used(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		Provider string `bun:"provider"`
		N        int    `bun:"n"`
	}
	err := s.DB.NewSelect().TableExpr("servers").ColumnExpr("provider, count(*) AS n").Where("revoked_at IS NULL").
		Group("provider").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("count servers of providers: %w", toFault(err))
	}
	n := map[string]int{}
	for _, r := range rows {
		n[r.Provider] = r.N
	}
	return n, nil
}

// PoolFree counts the machines of our own that orders may take.
func (s *ProviderChecks) PoolFree(ctx context.Context) (int, error) {
	n, err := s.DB.NewSelect().TableExpr("pool_machines").Where("state = ?", pool.Free).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count free machines of the pool: %w", toFault(err))
	}
	return int(n), nil
}

// Keep keeps a check instead of the one before it.
func (s *ProviderChecks) Keep(ctx context.Context, c providers.Check) error {
	r := checkRow{Provider: c.Provider, At: c.At, By: c.By, OK: c.OK, Said: c.Said}
	_, err := s.DB.NewInsert().Model(&r).On("CONFLICT (provider) DO UPDATE").Set("at = excluded.at").Set("by_name = excluded.by_name").
		Set("ok = excluded.ok").Set("said = excluded.said").Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep check of provider: %w", toFault(err))
	}
	return nil
}
