package meter

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
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

	mu   sync.Mutex
	open *page // takes more until the writer takes it; nil: the next answer opens one
}

// New makes a Book on a database.
func New(db *store.DB, now func() time.Time) *Book { return &Book{db: db, now: now} }

// perPage is how long a page stays open for more, so that a busy team costs one commit for many answers.
const perPage = 25 * time.Millisecond

// page is what came within perPage and while the writer was busy: a hundred answers of one agent are one row.
type page struct {
	sums map[line]sum
	done chan struct{}
	err  error
}

type line struct {
	agent, profile, model string
	hour                  int64
}

type sum struct {
	requests, unmetered int64
	Usage
}

// Add adds one answer, and returns once that is durable: it was given, so it counts even when ctx has ended. metered says
// whether it told what it used.
func (b *Book) Add(ctx context.Context, agent, profile, model string, u Usage, metered bool) error {
	p, first := b.note(line{agent, profile, model, b.now().UTC().Truncate(time.Hour).Unix()}, u, metered)
	if !first {
		<-p.done
		return p.err
	}
	time.Sleep(perPage)
	err := b.db.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error { return b.keep(tx, p) })
	if err != nil {
		p.err = fmt.Errorf("add usage: %w", err)
	}
	b.close(p) // it was never taken when the write did not begin
	close(p.done)
	return p.err
}

// note puts an answer on the open page and says whether the caller has to keep that page.
func (b *Book) note(l line, u Usage, metered bool) (p *page, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first = b.open == nil; first {
		b.open = &page{sums: map[line]sum{}, done: make(chan struct{})}
	}
	s := b.open.sums[l]
	s.requests++
	if !metered {
		s.unmetered++
	}
	s.Usage = s.plus(u)
	b.open.sums[l] = s
	return b.open, first
}

// close lets nothing more onto p.
func (b *Book) close(p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == p {
		b.open = nil
	}
}

func (b *Book) keep(tx *sql.Tx, p *page) error {
	b.close(p)
	for l, s := range p.sums {
		_, err := b.db.Exec(tx, `INSERT INTO llm_usage (agent, profile, model, hour, requests, unmetered, input, output, cache_read, cache_write)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (agent, profile, model, hour) DO UPDATE SET requests = requests + excluded.requests, unmetered = unmetered + excluded.unmetered,
			input = input + excluded.input, output = output + excluded.output,
			cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write`,
			l.agent, l.profile, l.model, l.hour, s.requests, s.unmetered, s.Input, s.Output, s.CacheRead, s.CacheWrite)
		if err != nil {
			return err
		}
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
