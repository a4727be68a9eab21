package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/usage"
)

var _ usage.Lines = (*Usage)(nil)

// usageSums are the sums of a group of buckets, in the order in which usageLineOf reads them.
var usageSums = eachCount(", ", func(c string) string { return "sum(b." + c + ")::bigint" })

// usageFilter narrows buckets to those of a customer and a usage.Filter.
const usageFilter = `b.customer_id = @customer AND b.hour >= @from AND b.hour < @to
	AND (@agent = '' OR b.agent = @agent) AND (@model = '' OR b.model = @model)`

func usageLineOf(row pgx.CollectableRow) (l usage.Line, err error) {
	err = row.Scan(&l.At, &l.Agent, &l.Parent, &l.Model, &l.Key, &l.Requests, &l.Estimated, &l.Input, &l.Output, &l.CacheRead,
		&l.CacheWrite, &l.EstInput, &l.EstOutput, &l.Searches, &l.Fetches)
	l.At = l.At.UTC()
	return l, err
}

// Steps are the sums of each step.
func (u *Usage) Steps(
	ctx context.Context, of account.CustomerID, f usage.Filter, step string, zone *time.Location,
) ([]usage.Line, error) {
	return u.lines(ctx, `SELECT date_trunc(@step, b.hour, @zone) AS at, b.agent, b.parent, b.model, b.key, `+usageSums+`
		FROM usage_buckets AS b WHERE `+usageFilter+` GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
		named{"customer": of, "from": f.From, "to": f.To, "agent": f.Agent, "model": f.Model, "step": step, "zone": zone.String()})
}

// Hours are the sums of each hour after a cursor, newest first.
func (u *Usage) Hours(ctx context.Context, of account.CustomerID, f usage.Filter, after usage.Cursor, limit int) ([]usage.Line, error) {
	values := named{"customer": of, "from": f.From, "to": f.To, "agent": f.Agent, "model": f.Model, "limit": limit}
	further := ""
	if !after.At.IsZero() {
		further = " AND (b.hour, b.agent, b.parent, b.model, b.key) < (@at, @last_agent, @parent, @last_model, @key)"
		values["at"], values["last_agent"], values["parent"] = after.At, after.Agent, after.Parent
		values["last_model"], values["key"] = after.Model, after.Key
	}
	return u.lines(ctx, `SELECT b.hour, b.agent, b.parent, b.model, b.key, `+usageSums+`
		FROM usage_buckets AS b WHERE `+usageFilter+further+`
		GROUP BY 1, 2, 3, 4, 5 ORDER BY 1 DESC, 2 DESC, 3 DESC, 4 DESC, 5 DESC LIMIT @limit`, values)
}

func (u *Usage) lines(ctx context.Context, query string, values named) ([]usage.Line, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, query, cached, values)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	lines, err := pgx.CollectRows(rows, usageLineOf)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	return lines, nil
}

// UpTo is until when all that the customer's server used is known.
func (u *Usage) UpTo(ctx context.Context, of account.CustomerID) (at time.Time, err error) {
	err = u.DB.pgx(ctx).QueryRow(ctx, `SELECT coalesce((beat ->> 'usage_at')::timestamptz, 'epoch') FROM servers
		WHERE customer_id = @customer AND revoked_at IS NULL AND NOT next`, cached, named{"customer": of}).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && at.Unix() == 0 {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read how far usage is known: %w", toFault(err))
	}
	return at.UTC(), nil
}
