package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/store"
)

// Entry is what one agent used of one model through one profile in one hour.
type Entry struct {
	Agent     string    `json:"agent"`
	Profile   string    `json:"profile"`
	Model     string    `json:"model"`
	Hour      time.Time `json:"hour"` // its beginning, UTC
	Requests  int64     `json:"requests"`
	Unmetered int64     `json:"unmetered"` // answers that did not say what they used
	Usage
}

// Book adds up.
type Book struct {
	db  *store.DB
	now func() time.Time
}

// New makes a Book on a database.
func New(db *store.DB, now func() time.Time) *Book { return &Book{db, now} }

// Add adds one answer. metered says whether it told what it used.
func (b *Book) Add(ctx context.Context, agent, profile, model string, u Usage, metered bool) error {
	hour, unmetered := b.now().UTC().Truncate(time.Hour).Unix(), 0
	if !metered {
		unmetered = 1
	}
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO llm_usage (agent, profile, model, hour, requests, unmetered, input, output, cache_read, cache_write)
			VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
			ON CONFLICT (agent, profile, model, hour) DO UPDATE SET requests = requests + 1, unmetered = unmetered + excluded.unmetered,
			input = input + excluded.input, output = output + excluded.output,
			cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write`,
			agent, profile, model, hour, unmetered, u.Input, u.Output, u.CacheRead, u.CacheWrite)
		return err
	})
	if err != nil {
		return fmt.Errorf("add usage: %w", err)
	}
	return nil
}

// Since gives what was used from an hour on, oldest first.
func (b *Book) Since(ctx context.Context, from time.Time) ([]Entry, error) {
	rows, err := b.db.Read().QueryContext(ctx, `SELECT agent, profile, model, hour, requests, unmetered, input, output, cache_read, cache_write
		FROM llm_usage WHERE hour >= ? ORDER BY hour, agent, profile, model`, from.UTC().Truncate(time.Hour).Unix())
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := []Entry{}
	for rows.Next() {
		var e Entry
		var hour int64
		if err := rows.Scan(&e.Agent, &e.Profile, &e.Model, &hour, &e.Requests, &e.Unmetered, &e.Input, &e.Output, &e.CacheRead, &e.CacheWrite); err != nil {
			return nil, fmt.Errorf("read usage: %w", err)
		}
		e.Hour = time.Unix(hour, 0).UTC()
		all = append(all, e)
	}
	return all, rows.Err()
}
