package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/usage"
)

var _ usage.Totals = (*Usage)(nil)

// Total adds up what all customers used.
func (u *Usage) Total(ctx context.Context, from, to time.Time) (usage.Counts, error) {
	all, err := u.parts(ctx, "''", "''", "", from, to, 1)
	if err != nil || len(all) == 0 {
		return usage.Counts{}, err
	}
	return all[0].Counts, nil
}

// ByCustomer lists the customers with the most tokens.
func (u *Usage) ByCustomer(ctx context.Context, from, to time.Time, limit int) ([]usage.Part, error) {
	return u.parts(ctx, "c.id::text", "c.name", "JOIN customers AS c ON c.id = b.customer_id", from, to, limit)
}

// ByModel lists the models with the most tokens.
func (u *Usage) ByModel(ctx context.Context, from, to time.Time, limit int) ([]usage.Part, error) {
	return u.parts(ctx, "''", "b.model", "", from, to, limit)
}

// ByAgent lists the agents with the most tokens; those of one name of all customers together.
func (u *Usage) ByAgent(ctx context.Context, from, to time.Time, limit int) ([]usage.Part, error) {
	return u.parts(ctx, "''", "b.agent", "", from, to, limit)
}

func (u *Usage) parts(ctx context.Context, id, name, join string, from, to time.Time, limit int) ([]usage.Part, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, `SELECT `+id+` AS id, `+name+` AS name, `+usageSums+` FROM usage_buckets AS b `+join+`
		WHERE b.hour >= @from AND b.hour < @to GROUP BY 1, 2
		ORDER BY sum(b.input + b.output + b.cache_read + b.cache_write) DESC, 2, 1 LIMIT @limit`,
		cached, named{"from": from, "to": to, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p usage.Part, err error) {
		err = row.Scan(&p.ID, &p.Name, &p.Requests, &p.Estimated, &p.Input, &p.Output, &p.CacheRead, &p.CacheWrite,
			&p.EstInput, &p.EstOutput, &p.Searches, &p.Fetches)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", toFault(err))
	}
	return all, nil
}

// Late lists servers whose usage is not known, or differs.
func (u *Usage) Late(ctx context.Context, before time.Time, limit int) ([]usage.Late, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, `SELECT s.id::text, s.slug, c.id::text, c.name,
			coalesce((s.beat ->> 'usage_at')::timestamptz, 'epoch') AS up_to, coalesce(k.off, '')
		FROM servers AS s JOIN customers AS c ON c.id = s.customer_id LEFT JOIN usage_checks AS k ON k.server_id = s.id
		WHERE s.registered_at IS NOT NULL AND s.revoked_at IS NULL
			AND (coalesce((s.beat ->> 'usage_at')::timestamptz, 'epoch') < @before OR k.off <> '')
		ORDER BY up_to, s.id LIMIT @limit`, cached, named{"before": before, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list late servers: %w", toFault(err))
	}
	late, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l usage.Late, err error) {
		err = row.Scan(&l.Server, &l.Slug, &l.Customer, &l.Name, &l.UpTo, &l.Off)
		if l.UpTo = l.UpTo.UTC(); l.UpTo.Unix() == 0 {
			l.UpTo = time.Time{}
		}
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list late servers: %w", toFault(err))
	}
	return late, nil
}
