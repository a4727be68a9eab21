package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/margin"
)

// Margins adds up what customers cost and bring in. It is margin.Store.
type Margins struct{ DB *DB }

var _ margin.Store = (*Margins)(nil)

// dayPrice is a margin.Price as the query reads it.
type dayPrice struct {
	Day        string `json:"day"`
	Model      string `json:"model"`
	Input      int64  `json:"input"`
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cache_read"`
	CacheWrite int64  `json:"cache_write"`
	Rate       int64  `json:"rate"`
}

// usedSQL is what each agent of a customer used of a model in a month, and what that cost. It adds up the days first: millions of hours
// become a few rows for each agent, and only those are joined with prices. Tokens times millionths of a dollar for a million, times
// millionths of a euro for a dollar, are 10^12 of a millionth of a euro.
const usedSQL = `WITH priced AS (
		SELECT * FROM jsonb_to_recordset(@prices::jsonb) AS p (day date, model text, input bigint, output bigint, cache_read bigint,
			cache_write bigint, rate bigint)
	), days AS (
		SELECT b.customer_id, b.agent, b.model, (b.hour AT TIME ZONE 'UTC')::date AS day, sum(b.requests) AS requests,
			sum(b.input) AS input, sum(b.output) AS output, sum(b.cache_read) AS cache_read, sum(b.cache_write) AS cache_write
		FROM usage_buckets AS b WHERE b.hour >= @from AND b.hour < @to AND b.key = 'house'
		GROUP BY 1, 2, 3, 4
	), used AS (
		SELECT d.customer_id, d.agent, d.model, date_trunc('month', d.day::timestamp) AS month, sum(d.requests)::bigint AS requests,
			sum(d.input + d.output + d.cache_read + d.cache_write)::bigint AS tokens,
			coalesce(sum(d.input + d.output + d.cache_read + d.cache_write) FILTER (WHERE p.rate IS NULL), 0)::bigint AS unpriced,
			round(coalesce(sum((d.input * p.input + d.output * p.output + d.cache_read * p.cache_read
				+ d.cache_write * p.cache_write) * p.rate), 0) / 1000000000000)::bigint AS cost
		FROM days AS d LEFT JOIN priced AS p ON p.day = d.day AND p.model = d.model GROUP BY 1, 2, 3, 4
	) `

// invoicedSQL is what was invoiced, and what was credited.
const invoicedSQL = `SELECT customer_id, issued_at, net FROM invoices WHERE issued_at >= @from AND issued_at < @to
	UNION ALL SELECT customer_id, issued_at, -net FROM credit_notes WHERE issued_at >= @from AND issued_at < @to`

// using are the arguments of usedSQL.
func using(from, to time.Time, prices []margin.Price) (named, error) {
	raw, err := json.Marshal(each(prices, func(p margin.Price) dayPrice {
		return dayPrice{p.Day.Format(time.DateOnly), p.Model, p.Input, p.Output, p.CacheRead, p.CacheWrite, int64(p.Rate)}
	}))
	return named{"from": from, "to": to, "prices": string(raw)}, err
}

// Used adds up what was used with the operator's key.
func (m *Margins) Used(ctx context.Context, from, to time.Time, prices []margin.Price) ([]margin.Use, error) {
	args, err := using(from, to, prices)
	if err != nil {
		return nil, fmt.Errorf("add costs up: %w", err)
	}
	rows, err := m.DB.pgx(ctx).Query(ctx, usedSQL+`SELECT u.customer_id::text, c.name, u.agent, u.model, u.requests, u.tokens, u.unpriced,
		u.cost FROM used AS u JOIN customers AS c ON c.id = u.customer_id ORDER BY 1, 3, 4`, cached, args)
	if err != nil {
		return nil, fmt.Errorf("add costs up: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (u margin.Use, err error) {
		err = row.Scan(&u.Customer, &u.Name, &u.Agent, &u.Model, &u.Requests, &u.Tokens, &u.Unpriced, &u.Cost)
		return u, err
	})
	if err != nil {
		return nil, fmt.Errorf("add costs up: %w", toFault(err))
	}
	return all, nil
}

// Invoiced adds up what was invoiced, less what was credited.
func (m *Margins) Invoiced(ctx context.Context, from, to time.Time) ([]margin.Revenue, error) {
	rows, err := m.DB.pgx(ctx).Query(ctx, `SELECT n.customer_id::text, c.name, sum(n.net)::bigint FROM (`+invoicedSQL+`) AS n
		JOIN customers AS c ON c.id = n.customer_id GROUP BY 1, 2 ORDER BY 1`, cached, named{"from": from, "to": to})
	if err != nil {
		return nil, fmt.Errorf("add revenue up: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r margin.Revenue, err error) {
		err = row.Scan(&r.Customer, &r.Name, &r.Net)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("add revenue up: %w", toFault(err))
	}
	return all, nil
}

// Totals adds up both, month by month.
func (m *Margins) Totals(ctx context.Context, from, to time.Time, prices []margin.Price) ([]margin.Total, error) {
	args, err := using(from, to, prices)
	if err != nil {
		return nil, fmt.Errorf("add months up: %w", err)
	}
	rows, err := m.DB.pgx(ctx).Query(ctx, usedSQL+`SELECT month, sum(requests)::bigint, sum(tokens)::bigint, sum(unpriced)::bigint,
			sum(cost)::bigint, sum(net)::bigint FROM (
			SELECT month, requests, tokens, unpriced, cost, 0 AS net FROM used
			UNION ALL SELECT date_trunc('month', n.issued_at AT TIME ZONE 'UTC'), 0, 0, 0, 0, n.net FROM (`+invoicedSQL+`) AS n
		) AS of GROUP BY 1 ORDER BY 1`, cached, args)
	if err != nil {
		return nil, fmt.Errorf("add months up: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t margin.Total, err error) {
		err = row.Scan(&t.Month, &t.Requests, &t.Tokens, &t.Unpriced, &t.Cost, &t.Net)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("add months up: %w", toFault(err))
	}
	return all, nil
}
