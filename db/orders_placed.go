package db

import (
	"context"
	"fmt"
	"time"
)

// PlacedSince counts the orders that were placed since then, up to limit.
func (s *Orders) PlacedSince(ctx context.Context, since time.Time, limit int) (n int, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 FROM orders WHERE created_at > @since LIMIT @limit) AS placed",
		named{"since": since, "limit": limit}).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count orders: %w", toFault(err))
	}
	return n, nil
}
