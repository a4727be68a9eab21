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

// usedSQL adds up the days first: millions of hours become a few rows for each agent, and only those are joined with prices. Tokens
// times millionths of a dollar for a million, times millionths of a euro for a dollar, are 10^12 of a millionth of a euro.
var usedSQL = `WITH priced AS (
		SELECT * FROM jsonb_to_recordset(@prices::jsonb) AS p (day date, model text, input bigint, output bigint, cache_read bigint,
			cache_write bigint, rate bigint)
	), days AS (
		SELECT b.customer_id, b.agent, b.model, (b.hour AT TIME ZONE 'UTC')::date AS day, sum(b.requests) AS requests,
			sum(b.input) AS input, sum(b.output) AS output, sum(b.cache_read) AS cache_read, sum(b.cache_write) AS cache_write
		FROM usage_buckets AS b WHERE b.hour >= @from AND b.hour < @to AND b.key = 'house'
		GROUP BY 1, 2, 3, 4
	)
	SELECT d.customer_id::text, c.name, d.agent, d.model, sum(d.requests)::bigint,
		sum(d.input + d.output + d.cache_read + d.cache_write)::bigint,
		coalesce(sum(d.input + d.output + d.cache_read + d.cache_write) FILTER (WHERE p.rate IS NULL), 0)::bigint,
		round(coalesce(sum((d.input * p.input + d.output * p.output + d.cache_read * p.cache_read
			+ d.cache_write * p.cache_write) * p.rate), 0) / 1000000000000)::bigint
	FROM days AS d JOIN customers AS c ON c.id = d.customer_id LEFT JOIN priced AS p ON p.day = d.day AND p.model = d.model
	GROUP BY 1, 2, 3, 4 ORDER BY 1, 3, 4`

// Used adds up what was used with the operator's key.
func (m *Margins) Used(ctx context.Context, from, to time.Time, prices []margin.Price) ([]margin.Use, error) {
	raw, err := json.Marshal(each(prices, func(p margin.Price) dayPrice {
		return dayPrice{p.Day.Format(time.DateOnly), p.Model, p.Input, p.Output, p.CacheRead, p.CacheWrite, int64(p.Rate)}
	}))
	if err != nil {
		return nil, fmt.Errorf("add costs up: %w", err)
	}
	rows, err := m.DB.pgx(ctx).Query(ctx, usedSQL, cached, named{"from": from, "to": to, "prices": string(raw)})
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
	rows, err := m.DB.pgx(ctx).Query(ctx, `SELECT n.customer_id::text, c.name, sum(n.net)::bigint FROM (
			SELECT customer_id, net FROM invoices WHERE issued_at >= @from AND issued_at < @to
			UNION ALL SELECT customer_id, -net FROM credit_notes WHERE issued_at >= @from AND issued_at < @to
		) AS n JOIN customers AS c ON c.id = n.customer_id GROUP BY 1, 2 ORDER BY 1`, cached, named{"from": from, "to": to})
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
