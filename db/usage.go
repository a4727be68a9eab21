package db

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/server"
	"gatehouse/app/usage"
)

// Usage keeps what the meters on servers counted. It is usage.Store.
type Usage struct{ DB *DB }

var _ usage.Store = (*Usage)(nil)

// usageRow mirrors table usage_buckets. Its JSON names are the columns.
type usageRow struct {
	Epoch      string    `json:"epoch"`
	Hour       time.Time `json:"hour"`
	Agent      string    `json:"agent"`
	Parent     string    `json:"parent"`
	Model      string    `json:"model"`
	Profile    string    `json:"profile"`
	Key        usage.Key `json:"key"`
	Revision   int64     `json:"revision"`
	Requests   int64     `json:"requests"`
	Estimated  int64     `json:"estimated"`
	Input      int64     `json:"input"`
	Output     int64     `json:"output"`
	CacheRead  int64     `json:"cache_read"`
	CacheWrite int64     `json:"cache_write"`
	EstInput   int64     `json:"est_input"`
	EstOutput  int64     `json:"est_output"`
	Searches   int64     `json:"searches"`
	Fetches    int64     `json:"fetches"`
}

func toUsageRow(b usage.Bucket) usageRow {
	return usageRow{
		Epoch: b.Epoch, Hour: b.Hour, Agent: b.Agent, Parent: b.Parent, Model: b.Model, Profile: b.Profile, Key: b.Key,
		Revision: b.Revision,
		Requests: b.Requests, Estimated: b.Estimated, Input: b.Input, Output: b.Output, CacheRead: b.CacheRead, CacheWrite: b.CacheWrite,
		EstInput: b.EstInput, EstOutput: b.EstOutput, Searches: b.Searches, Fetches: b.Fetches,
	}
}

// usageKey, usageCounts and usageColumns are columns of usage_buckets, the last in the order in which bucketOf reads them.
var (
	usageKey    = []string{"server_id", "epoch", "hour", "agent", "parent", "model", "profile", "key"}
	usageCounts = []string{
		"requests", "estimated", "input", "output", "cache_read", "cache_write", "est_input", "est_output", "searches", "fetches",
	}
	usageColumns = "b.server_id::text, b.customer_id::text, b.epoch, b.hour, b.agent, b.parent, b.model, b.profile, b.key, b.revision, b." +
		strings.Join(usageCounts, ", b.")
)

func bucketOf(row pgx.CollectableRow) (b usage.Bucket, err error) {
	err = row.Scan(bucketFields(&b)...)
	b.Hour = b.Hour.UTC()
	return b, err
}

// bucketFields are where usageColumns go.
func bucketFields(b *usage.Bucket) []any {
	return []any{
		&b.Server, &b.Customer, &b.Epoch, &b.Hour, &b.Agent, &b.Parent, &b.Model, &b.Profile, &b.Key, &b.Revision, &b.Requests,
		&b.Estimated, &b.Input, &b.Output, &b.CacheRead, &b.CacheWrite, &b.EstInput, &b.EstOutput, &b.Searches, &b.Fetches,
	}
}

// eachCount writes one SQL expression for each count.
func eachCount(separator string, of func(column string) string) string {
	return strings.Join(each(usageCounts, of), separator)
}

// sameUsage finds the row that was there by its key. OFFSET 0 behind it has Postgres look each one up, whatever it guesses
// about the number of rows.
var sameUsage = strings.Join(each(usageKey[1:], func(c string) string { return "known." + c + " = sent." + c }), " AND ")

// keepUsageSQL is one statement, so that what it gives and what it replaces are the same rows.
var keepUsageSQL = `WITH sent AS (
		SELECT s.id AS server_id, s.customer_id, r.*
		FROM servers AS s, jsonb_to_recordset(@rows::jsonb) AS r (epoch text, hour timestamptz, agent text, parent text, model text,
			profile text, key text, revision bigint, ` + eachCount(", ", func(c string) string { return c + " bigint" }) + `)
		WHERE s.id = @server
	), was AS (
		SELECT ` + usageColumns + ` FROM sent CROSS JOIN LATERAL (SELECT * FROM usage_buckets AS known
			WHERE known.server_id = @server AND ` + sameUsage + ` OFFSET 0) AS b
	), kept AS (
		INSERT INTO usage_buckets AS b (` + strings.Join(usageKey, ", ") + `,
			customer_id, revision, ` + strings.Join(usageCounts, ", ") + `)
		SELECT ` + strings.Join(usageKey, ", ") + `, customer_id, revision, ` + strings.Join(usageCounts, ", ") + ` FROM sent
		ON CONFLICT (` + strings.Join(usageKey, ", ") + `) DO UPDATE SET revision = excluded.revision, ` +
	eachCount(", ", func(c string) string { return c + " = excluded." + c }) + `
		WHERE excluded.revision > b.revision AND ` + eachCount(" AND ", func(c string) string { return "excluded." + c + " >= b." + c }) + `
	)
	SELECT * FROM was`

// Keep stores what a server reported.
func (u *Usage) Keep(ctx context.Context, of server.ID, sent []usage.Bucket) ([]usage.Bucket, error) {
	raw, err := json.Marshal(each(sent, toUsageRow))
	if err != nil {
		return nil, fmt.Errorf("keep usage: %w", err)
	}
	rows, err := u.DB.pgx(ctx).Query(ctx, keepUsageSQL, cached, named{"server": of, "rows": string(raw)})
	if err != nil {
		return nil, fmt.Errorf("keep usage: %w", toFault(err))
	}
	was, err := pgx.CollectRows(rows, bucketOf)
	if err != nil {
		return nil, fmt.Errorf("keep usage: %w", toFault(err))
	}
	return was, nil
}

// Buckets are those of a customer whose hour is in [from, to).
func (u *Usage) Buckets(ctx context.Context, of account.CustomerID, from, to time.Time) ([]usage.Bucket, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, "SELECT "+usageColumns+` FROM usage_buckets AS b
		WHERE b.customer_id = @customer AND b.hour >= @from AND b.hour < @to
		ORDER BY `+bucketOrder, cached, named{"customer": of, "from": from, "to": to})
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, bucketOf)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	return all, nil
}

// bucketOrder is the order in which buckets draw on a pool.
const bucketOrder = "b.hour, b.agent, b.parent, b.model, b.profile, b.key, b.server_id, b.epoch"

// BucketsOf are the Buckets of each of some hours, in their order.
func (u *Usage) BucketsOf(ctx context.Context, of []billing.Hours) ([][]usage.Bucket, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, "SELECT w.n, "+usageColumns+` FROM unnest(@of::text[]::uuid[], @from::timestamptz[],
			@to::timestamptz[]) WITH ORDINALITY AS w (customer_id, from_at, to_at, n)
		JOIN usage_buckets AS b ON b.customer_id = w.customer_id AND b.hour >= w.from_at AND b.hour < w.to_at
		ORDER BY w.n, `+bucketOrder, cached, named{
		"of":   each(of, func(h billing.Hours) string { return string(h.Of) }),
		"from": each(of, func(h billing.Hours) time.Time { return h.From }),
		"to":   each(of, func(h billing.Hours) time.Time { return h.To }),
	})
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	all := make([][]usage.Bucket, len(of))
	var n int64
	var b usage.Bucket
	if _, err := pgx.ForEachRow(rows, append([]any{&n}, bucketFields(&b)...), func() error {
		b.Hour = b.Hour.UTC()
		all[n-1] = append(all[n-1], b)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read usage: %w", toFault(err))
	}
	return all, nil
}

// Sums adds up each day and epoch of a server.
func (u *Usage) Sums(ctx context.Context, of server.ID, from, to time.Time) ([]usage.Sum, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, `SELECT b.epoch, date_trunc('day', b.hour, 'UTC') AS day, `+
		eachCount(", ", func(c string) string { return "sum(b." + c + ")::bigint" })+`
		FROM usage_buckets AS b WHERE b.server_id = @server AND b.hour >= @from AND b.hour < @to
		GROUP BY b.epoch, day ORDER BY day, b.epoch`,
		cached, named{"server": of, "from": from, "to": to})
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", toFault(err))
	}
	sums, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s usage.Sum, err error) {
		err = row.Scan(&s.Epoch, &s.Day, &s.Requests, &s.Estimated, &s.Input, &s.Output, &s.CacheRead, &s.CacheWrite,
			&s.EstInput, &s.EstOutput, &s.Searches, &s.Fetches)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", toFault(err))
	}
	return sums, nil
}

// Reporting lists servers that were heard lately and report usage.
func (u *Usage) Reporting(ctx context.Context) ([]server.ID, error) {
	rows, err := u.DB.pgx(ctx).Query(ctx, `SELECT id::text FROM servers
		WHERE state IN ('online', 'degraded') AND beat ? 'usage_at' ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list servers that report usage: %w", toFault(err))
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[server.ID])
	if err != nil {
		return nil, fmt.Errorf("list servers that report usage: %w", toFault(err))
	}
	return ids, nil
}

// Checked keeps how a comparison ended.
func (u *Usage) Checked(ctx context.Context, of server.ID, off string, at time.Time) (other bool, err error) {
	err = u.DB.pgx(ctx).QueryRow(ctx, `WITH was AS (SELECT off FROM usage_checks WHERE server_id = @server),
		kept AS (INSERT INTO usage_checks (server_id, checked_at, off) VALUES (@server, @at, @off)
			ON CONFLICT (server_id) DO UPDATE SET checked_at = excluded.checked_at, off = excluded.off)
		SELECT coalesce((SELECT off FROM was), '') <> @off`, named{"server": of, "at": at, "off": off}).Scan(&other)
	if err != nil {
		return false, fmt.Errorf("keep comparison of usage: %w", toFault(err))
	}
	return other, nil
}
