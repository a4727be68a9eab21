package db

import (
	"context"
	"fmt"

	"gatehouse/app/attention"
)

// Attention counts what waits for one of our staff. It is attention.Store.
type Attention struct{ DB *DB }

var _ attention.Store = (*Attention)(nil)

// attentionQuery is one statement, so that the figures are of one moment; each of its parts has an index.
const attentionQuery = `SELECT
	(SELECT count(*) FROM orders WHERE state = 'FAILED') AS failed,
	(SELECT count(*) FROM orders WHERE mode = 'MANUAL' AND state IN ` + openStates + `) AS manual,
	(SELECT count(*) FROM orders WHERE created_at < ?1 AND standing = 'main' AND state IN ` + openStates + `) AS late,
	(SELECT count(*) FROM servers WHERE state = 'offline') AS offline,
	(SELECT count(*) FROM servers WHERE state = 'degraded') AS degraded,
	(SELECT count(*) FROM receipt_holds WHERE released_at IS NULL) AS held,
	(SELECT count(*) FROM pool_machines WHERE state = 'needs_hands') AS hands,
	(SELECT count(*) FROM pool_machines) AS machines,
	(SELECT count(*) FROM pool_machines WHERE state = 'free') AS free,
	(SELECT count(*) FROM river_job WHERE state = 'discarded' AND finalized_at IS NOT NULL) AS dead,
	(SELECT count(*) FROM river_job WHERE state = 'retryable') AS retried,
	(SELECT count(*) FROM approvals WHERE state = 'pending' AND expires_at < ?2 AND expires_at >= ?0) AS expiring,
	(SELECT count(*) FROM staff_invitations
		WHERE accepted_at IS NULL AND revoked_at IS NULL AND (expires_at <= ?0 OR refused_at IS NOT NULL)) AS ran_out,
	(SELECT count(*) FROM billing_periods WHERE state = 'CLOSED' AND held <> '') AS unbilled,
	(SELECT count(*) FROM invoices WHERE state = 'open' AND due_at < ?0) AS overdue,
	EXISTS (SELECT FROM billing_periods WHERE state = 'ACTIVE')
		AND NOT EXISTS (SELECT FROM price_entries WHERE kind = 'seller' AND valid_from <= ?0) AS no_seller,
	EXISTS (SELECT FROM rate_looks WHERE alert) AS no_rate,
	(SELECT count(*) FROM customers) AS customers,
	(SELECT count(*) FROM servers WHERE state <> 'revoked') AS servers`

// Counts counts all of it.
func (s *Attention) Counts(ctx context.Context, w attention.When) (attention.Counts, error) {
	var c attention.Counts
	if err := s.DB.NewRaw(attentionQuery, w.Now, w.Late, w.Soon).Scan(ctx, &c); err != nil {
		return c, fmt.Errorf("count what needs a person: %w", toFault(err))
	}
	return c, nil
}
