package meter

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/llm/slate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Call is one request to a model.
type Call struct {
	Agent   string
	Parent  string // the agent for which a sub-agent asks
	Run     string // the root run that it is asked for, a UUID; empty: for none
	Model   string
	Profile string
	Key     string       // whose, as in wire: KeyHouse, KeyOwn or KeyLocal
	Sent    int64        // bytes of text in the request
	Most    slate.Tokens // what was reserved for it
}

// Book adds up. It is safe for use by many goroutines; one process has one on a database.
type Book struct {
	db    *store.DB
	slate *slate.Slate // nil: no call can begin, only be added
	now   func() time.Time
	epoch string

	failing atomic.Bool // the last page could not be kept

	mu     sync.Mutex
	open   *page // takes more until the writer takes it; nil: the next answer opens one
	unkept *page // what the disk did not take yet

	ended  []int64 // settled, and taken off the slate since that was waited for on disk
	forget []int64 // settled, and off the slate on disk: they need no row any more
}

// keptFor is how long rows stay.
const keptFor = 400 * 24 * time.Hour

// Open makes a Book on a database. The file named calls holds what is on its way; without one no call can begin. What a former
// life of the process had begun is settled: a request that had left counts with its text and with what had passed of its answer,
// as an estimate, and one that had not counts without tokens.
func Open(ctx context.Context, db *store.DB, calls string, now func() time.Time) (*Book, error) {
	epoch, err := uuid.NewRandom()
	if err != nil {
		return nil, fmt.Errorf("open meter: %w", err)
	}
	b := &Book{db: db, now: now, epoch: epoch.String(), unkept: newPage()}
	var found slate.Found
	if calls != "" {
		if b.slate, found, err = slate.Open(calls); err != nil {
			return nil, fmt.Errorf("open meter: %w", err)
		}
	}
	if err := b.takeOver(ctx, found); err != nil {
		return nil, errors.Join(fmt.Errorf("open meter: %w", err), b.Close())
	}
	return b, nil
}

// Close ends the use of the file of calls. Nothing may be begun or settled any more.
func (b *Book) Close() error {
	if b.slate == nil {
		return nil
	}
	return b.slate.Close()
}

// takeOver settles what was found, and empties the file once that is durable.
func (b *Book) takeOver(ctx context.Context, found slate.Found) error {
	if err := b.db.Write(ctx, func(tx *sql.Tx) error { return b.begin(ctx, tx, found) }); err != nil || b.slate == nil {
		return err
	}
	if err := b.slate.Clear(); err != nil {
		return err
	}
	return b.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := b.db.Exec(tx, "DELETE FROM llm_settled")
		return err
	})
}

// begin moves the revision to the clock, in microseconds: it is then above all that a database gave out that has been replaced
// by this one, or by an older copy.
func (b *Book) begin(ctx context.Context, tx *sql.Tx, found slate.Found) error {
	now := b.now()
	if _, err := b.db.Exec(tx, "UPDATE llm_revision SET revision = max(revision + 1, ?)", now.UnixMicro()); err != nil {
		return err
	}
	for _, table := range []string{"llm_buckets", "llm_runs"} { // a wrong clock drops nothing
		old := "DELETE FROM " + table + " WHERE hour < min(?1, (SELECT max(hour) FROM " + table + ")) - ?2"
		if _, err := b.db.Exec(tx, old, now.Unix(), int64(keptFor/time.Second)); err != nil {
			return err
		}
	}
	if b.slate == nil {
		return nil
	}
	counted, err := settled(ctx, tx)
	if err != nil {
		return err
	}
	if err := b.hold(tx, found.Lost(counted)); err != nil {
		return err
	}
	p := newPage()
	for _, c := range found.Calls {
		if !counted[c.ID] {
			p.add(lineOf(c.Line, c.Seen), runName(c.Run), countsOf(c.Used))
			p.ids = append(p.ids, c.ID)
		}
	}
	return b.keep(tx, p)
}

// settled are the calls that were counted, and that may still stand in the file.
func settled(ctx context.Context, tx *sql.Tx) (map[int64]bool, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM llm_settled")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	ids := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, rows.Err()
}

// hold keeps back from the budgets what calls may have used that a crash of the machine has lost. Nobody is charged for it.
func (b *Book) hold(tx *sql.Tx, lost []slate.Lost) error {
	now := b.now().Unix()
	if _, err := b.db.Exec(tx, "DELETE FROM llm_lost WHERE at < ?", now-int64(keptFor/time.Second)); err != nil {
		return err
	}
	for _, l := range lost {
		_, err := b.db.Exec(tx, `INSERT INTO llm_lost (id, agent, model, key, input, output, at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			l.ID, l.Line.Agent, l.Line.Model, l.Line.Key, l.Tokens.Input, l.Tokens.Output, now)
		if err != nil {
			return err
		}
	}
	return nil
}

func countsOf(u slate.Used) wire.UsageCounts {
	return Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		EstInput: u.EstInput, EstOutput: u.EstOutput, Estimated: u.Estimated,
	}.counts()
}

func lineOf(l slate.Line, at time.Time) line {
	return line{l.Agent, l.Parent, l.Model, l.Profile, l.Key, at.UTC().Truncate(time.Hour).Unix()}
}

func (c Call) line() slate.Line {
	return slate.Line{Agent: c.Agent, Parent: c.Parent, Model: c.Model, Profile: c.Profile, Key: c.Key}
}

// Settle adds what the call used and takes it off the record. From its beginning on that is not lost when the process is killed; it
// returns once it is durable. It was given, so it counts even when ctx has ended.
func (b *Book) Settle(ctx context.Context, s *Started, u Usage) error {
	noted := s.Note(u) // when that fails, an estimate counts until the page is kept
	return errors.Join(b.add(ctx, s, s.Call, u), noted)
}

// Add adds what a call used that was never begun: one that costs nothing, if it is lost.
func (b *Book) Add(ctx context.Context, c Call, u Usage) error { return b.add(ctx, nil, c, u) }

func (b *Book) add(ctx context.Context, s *Started, c Call, u Usage) error {
	p, first := b.note(s, lineOf(c.line(), b.now()), c.Run, u.counts())
	if !first {
		<-p.done
		return p.err
	}
	time.Sleep(perPage)
	return b.commit(ctx, p)
}

// commit keeps a page that this caller has opened.
func (b *Book) commit(ctx context.Context, p *page) error {
	err := b.db.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		b.close(p)
		return b.keep(tx, p)
	})
	b.failing.Store(err != nil)
	b.close(p) // it was never taken when the write did not begin
	if err != nil {
		p.err = fmt.Errorf("settle calls: %w", err)
		b.lay(p)
	} else {
		b.wipe(p)
	}
	close(p.done)
	return p.err
}
