package meter

import (
	"context"
	"database/sql"
	"time"

	"gatehouse/agentd/wire"
)

// perPage is how long a page stays open for more, so that a busy team costs one commit for many answers.
const perPage = 25 * time.Millisecond

// page is what came within perPage and while the writer was busy: a hundred answers of one agent are one row.
type page struct {
	sums    map[line]wire.UsageCounts
	runs    map[runLine]wire.UsageCounts
	settled []*Started
	ids     []int64 // of what was found at the start
	done    chan struct{}
	err     error
}

type line struct {
	agent, parent, model, profile, key string
	hour                               int64
}

func newPage() *page {
	return &page{sums: map[line]wire.UsageCounts{}, runs: map[runLine]wire.UsageCounts{}}
}

// add adds what was used for a root run, or for none.
func (p *page) add(l line, run string, c wire.UsageCounts) {
	p.sums[l] = plus(p.sums[l], c)
	if run != "" {
		r := runLine{run, l.agent, l.model, l.key, l.hour}
		p.runs[r] = plus(p.runs[r], c)
	}
}

// take adds what another page has.
func (p *page) take(other *page) {
	for l, c := range other.sums {
		p.sums[l] = plus(p.sums[l], c)
	}
	for r, c := range other.runs {
		p.runs[r] = plus(p.runs[r], c)
	}
	p.settled = append(p.settled, other.settled...)
}

func plus(a, b wire.UsageCounts) wire.UsageCounts {
	return wire.UsageCounts{
		Requests: a.Requests + b.Requests, Estimated: a.Estimated + b.Estimated, Input: a.Input + b.Input, Output: a.Output + b.Output,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		EstInput: a.EstInput + b.EstInput, EstOutput: a.EstOutput + b.EstOutput,
		Searches: a.Searches + b.Searches, Fetches: a.Fetches + b.Fetches,
	}
}

// note puts an answer on the open page and says whether the caller has to keep that page.
func (b *Book) note(s *Started, l line, run string, c wire.UsageCounts) (p *page, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first = b.open == nil; first {
		b.open = b.fresh()
	}
	b.open.add(l, run, c)
	if s != nil {
		b.open.settled = append(b.open.settled, s)
	}
	return b.open, first
}

// fresh is a page with what the disk did not take yet. The book is locked.
func (b *Book) fresh() *page {
	p := b.unkept
	p.done, b.unkept = make(chan struct{}), newPage()
	return p
}

// again tries to keep what the disk did not take.
func (b *Book) again(ctx context.Context) error {
	b.mu.Lock()
	p, first := b.open, b.open == nil
	if first {
		p = b.fresh()
		b.open = p
	}
	b.mu.Unlock()
	if first {
		return b.commit(ctx, p)
	}
	<-p.done
	return p.err
}

// wipe takes off the slate what a page has counted. That it was counted stays on record until the disk has the slate without it:
// after a crash of the machine it may stand there again.
func (b *Book) wipe(p *page) {
	var off []int64
	for _, s := range p.settled {
		if s.way.End() == nil { // else it may still be found at the next start, and must be known then
			off = append(off, s.way.ID())
		}
	}
	b.mu.Lock()
	b.ended = append(b.ended, off...)
	ended := b.ended
	if len(ended) < manyEnded {
		b.mu.Unlock()
		return
	}
	b.ended = nil
	b.mu.Unlock()
	if b.slate.Sync() != nil {
		return // they stay on record until the next start
	}
	b.mu.Lock()
	b.forget = append(b.forget, ended...)
	b.mu.Unlock()
}

// manyEnded is after how many calls the slate is waited for on disk.
const manyEnded = 512

// close lets nothing more onto p.
func (b *Book) close(p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == p {
		b.open = nil
	}
}

// lay puts a page that could not be kept under the next one: what was used counts as soon as the disk takes it.
func (b *Book) lay(p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unkept.take(p)
}

// keep adds a page to the rows, each of which gets a revision of its own.
func (b *Book) keep(tx *sql.Tx, p *page) error {
	if len(p.sums) == 0 { // the disk is asked whether it takes anything
		_, err := b.db.Exec(tx, "UPDATE llm_revision SET revision = revision + 1")
		return err
	}
	for l, c := range p.sums {
		var revision int64
		if err := b.db.QueryRow(tx, "UPDATE llm_revision SET revision = revision + 1 RETURNING revision").Scan(&revision); err != nil {
			return err
		}
		_, err := b.db.Exec(tx, `INSERT INTO llm_buckets (epoch, hour, agent, parent, model, profile, key, revision, requests, estimated,
				input, output, cache_read, cache_write, est_input, est_output, searches, fetches)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (epoch, hour, agent, parent, model, profile, key) DO UPDATE SET revision = excluded.revision,
			requests = requests + excluded.requests, estimated = estimated + excluded.estimated,
			input = input + excluded.input, output = output + excluded.output,
			cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
			est_input = est_input + excluded.est_input, est_output = est_output + excluded.est_output,
			searches = searches + excluded.searches, fetches = fetches + excluded.fetches`,
			b.epoch, l.hour, l.agent, l.parent, l.model, l.profile, l.key, revision, c.Requests, c.Estimated,
			c.Input, c.Output, c.CacheRead, c.CacheWrite, c.EstInput, c.EstOutput, c.Searches, c.Fetches)
		if err != nil {
			return err
		}
	}
	if err := b.keepRuns(tx, p); err != nil {
		return err
	}
	return b.mark(tx, p)
}

// mark puts on record which calls a page counts, and forgets those that cannot come back.
func (b *Book) mark(tx *sql.Tx, p *page) error {
	ids := p.ids
	for _, s := range p.settled {
		ids = append(ids, s.way.ID())
	}
	for _, id := range ids {
		if _, err := b.db.Exec(tx, "INSERT INTO llm_settled (id) VALUES (?)", id); err != nil {
			return err
		}
	}
	b.mu.Lock()
	forget := b.forget
	b.forget = nil
	b.mu.Unlock()
	for _, id := range forget { // when this is rolled back, they stay until the next start
		if _, err := b.db.Exec(tx, "DELETE FROM llm_settled WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
