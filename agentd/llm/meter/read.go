package meter

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// Changed gives rows that changed after a revision, in the order in which they did, at most limit.
func (b *Book) Changed(ctx context.Context, after int64, limit int) ([]wire.UsageRow, error) {
	return b.rows(ctx, "revision > ? ORDER BY revision LIMIT ?", after, limit)
}

// OfDay gives the rows of a day, UTC, that changed after a revision, likewise.
func (b *Book) OfDay(ctx context.Context, day time.Time, after int64, limit int) ([]wire.UsageRow, error) {
	return b.rows(ctx, "hour >= ? AND hour < ? AND revision > ? ORDER BY revision LIMIT ?",
		day.Unix(), day.AddDate(0, 0, 1).Unix(), after, limit)
}

func (b *Book) rows(ctx context.Context, which string, args ...any) ([]wire.UsageRow, error) {
	rows, err := b.db.Read().QueryContext(ctx, `SELECT epoch, hour, agent, parent, model, profile, key, revision, requests, estimated,
			input, output, cache_read, cache_write, est_input, est_output, searches, fetches
		FROM llm_buckets WHERE `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	changed := []wire.UsageRow{}
	for rows.Next() {
		var r wire.UsageRow
		var hour int64
		if err := rows.Scan(&r.Epoch, &hour, &r.Agent, &r.Parent, &r.Model, &r.Profile, &r.Key, &r.Revision, &r.Requests, &r.Estimated,
			&r.Input, &r.Output, &r.CacheRead, &r.CacheWrite, &r.EstInput, &r.EstOutput, &r.Searches, &r.Fetches); err != nil {
			return nil, fmt.Errorf("read usage: %w", err)
		}
		r.Hour = time.Unix(hour, 0).UTC()
		changed = append(changed, r)
	}
	return changed, rows.Err()
}

// Sums adds up each day from from until to, UTC.
func (b *Book) Sums(ctx context.Context, from, to time.Time) ([]wire.UsageSum, error) {
	rows, err := b.db.Read().QueryContext(ctx, `SELECT epoch, hour - hour % 86400 AS day, sum(requests), sum(estimated), sum(input),
			sum(output), sum(cache_read), sum(cache_write), sum(est_input), sum(est_output), sum(searches), sum(fetches)
		FROM llm_buckets WHERE hour >= ? AND hour < ? GROUP BY epoch, day ORDER BY day, epoch`, from.Unix(), to.Unix())
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	sums := []wire.UsageSum{}
	for rows.Next() {
		var s wire.UsageSum
		var day int64
		if err := rows.Scan(&s.Epoch, &day, &s.Requests, &s.Estimated, &s.Input, &s.Output,
			&s.CacheRead, &s.CacheWrite, &s.EstInput, &s.EstOutput, &s.Searches, &s.Fetches); err != nil {
			return nil, fmt.Errorf("add usage up: %w", err)
		}
		s.Day = time.Unix(day, 0).UTC()
		sums = append(sums, s)
	}
	return sums, rows.Err()
}

// Spent adds up what each agent used of each model with the operator's key, in the hours from the one that from lies in until
// before to, with what calls may have used that a crash of the machine has lost.
func (b *Book) Spent(ctx context.Context, from, to time.Time) ([]wire.UsageRow, error) {
	rows, err := b.db.Read().QueryContext(ctx, `SELECT agent, model, sum(input), sum(output), sum(cache_read), sum(cache_write) FROM (
			SELECT agent, model, input, output, cache_read, cache_write FROM llm_buckets WHERE hour >= ?1 AND hour < ?2 AND key = ?3
			UNION ALL SELECT agent, model, input, output, 0, 0 FROM llm_lost WHERE at >= ?1 AND at < ?2 AND key = ?3)
		GROUP BY agent, model`,
		from.UTC().Truncate(time.Hour).Unix(), to.Unix(), wire.KeyHouse)
	if err != nil {
		return nil, fmt.Errorf("add usage up: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []wire.UsageRow
	for rows.Next() {
		var r wire.UsageRow
		if err := rows.Scan(&r.Agent, &r.Model, &r.Input, &r.Output, &r.CacheRead, &r.CacheWrite); err != nil {
			return nil, fmt.Errorf("add usage up: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}
