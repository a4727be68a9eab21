package meter

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Call is one request to a model.
type Call struct {
	Agent   string
	Parent  string // the agent for which a sub-agent asks
	Model   string
	Profile string
	Key     string // whose, as in wire: KeyHouse, KeyOwn or KeyLocal
	Sent    int64  // bytes of text in the request
}

// Started is a call that was begun.
type Started struct {
	Call

	written chan struct{} // closed once the record is durable, or could not be written
	id      int64         // 0: it could not
	err     error
}

// Book adds up. It is safe for use by many goroutines; one process has one on a database.
type Book struct {
	db    *store.DB
	now   func() time.Time
	epoch string

	failing atomic.Bool // the last call could not be put on record

	mu   sync.Mutex
	open *page // takes more until the writer takes it; nil: the next answer opens one

	unkept page // what the disk did not take yet
}

// keptFor is how long rows stay.
const keptFor = 400 * 24 * time.Hour

// Open makes a Book on a database, and settles what a former life of the process had begun: a request that was being answered
// counts with what had passed, as an estimate, and one without any sign of an answer counts without tokens.
func Open(ctx context.Context, db *store.DB, now func() time.Time) (*Book, error) {
	epoch, err := uuid.NewRandom()
	if err != nil {
		return nil, fmt.Errorf("open meter: %w", err)
	}
	b := &Book{db: db, now: now, epoch: epoch.String()}
	if err := db.Write(ctx, b.begin); err != nil {
		return nil, fmt.Errorf("open meter: %w", err)
	}
	return b, nil
}

// begin moves the revision to the clock, in microseconds: it is then above all that a database gave out that has been replaced
// by this one, or by an older copy.
func (b *Book) begin(tx *sql.Tx) error {
	now := b.now()
	if _, err := b.db.Exec(tx, "UPDATE llm_revision SET revision = max(revision + 1, ?)", now.UnixMicro()); err != nil {
		return err
	}
	const old = "DELETE FROM llm_buckets WHERE hour < min(?1, (SELECT max(hour) FROM llm_buckets)) - ?2" // a wrong clock drops nothing
	if _, err := b.db.Exec(tx, old, now.Unix(), int64(keptFor/time.Second)); err != nil {
		return err
	}
	p, err := b.left(tx)
	if err != nil {
		return err
	}
	return b.keep(tx, p)
}

// left are the calls that a former life had begun.
func (b *Book) left(tx *sql.Tx) (*page, error) {
	p := &page{sums: map[line]wire.UsageCounts{}}
	rows, err := tx.QueryContext(context.Background(), "SELECT id, agent, parent, model, profile, key, sent, got, seen FROM llm_started")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var c Call
		var id, got, seen int64
		if err := rows.Scan(&id, &c.Agent, &c.Parent, &c.Model, &c.Profile, &c.Key, &c.Sent, &got, &seen); err != nil {
			return nil, err
		}
		n := wire.UsageCounts{Requests: 1, Estimated: 1}
		if got > 0 {
			n.EstInput, n.EstOutput = fromBytes(c.Sent), fromBytes(got)
			n.Input, n.Output = n.EstInput, n.EstOutput
		}
		p.add(c.line(time.Unix(seen, 0)), n)
		p.settled = append(p.settled, id)
	}
	return p, rows.Err()
}

func (c Call) line(at time.Time) line {
	return line{c.Agent, c.Parent, c.Model, c.Profile, c.Key, at.UTC().Truncate(time.Hour).Unix()}
}

// Begin puts a call on record. It does not wait for the disk: what it wrote outlives a process that is killed from then on,
// and a loss of power a few milliseconds later. Only while a record before could not be written it waits for this one, and
// gives its error: what cannot be metered is not to be asked for. Settle or Drop must follow.
func (b *Book) Begin(ctx context.Context, c Call) (*Started, error) {
	s := &Started{Call: c, written: make(chan struct{})}
	go b.start(s)
	if !b.failing.Load() {
		return s, nil
	}
	select {
	case <-s.written:
		return s, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *Book) start(s *Started) {
	defer close(s.written)
	c := s.Call
	err := b.db.Write(context.Background(), func(tx *sql.Tx) error {
		return b.db.QueryRow(tx, `INSERT INTO llm_started (agent, parent, model, profile, key, sent, got, seen)
			VALUES (?, ?, ?, ?, ?, ?, 0, ?) RETURNING id`, c.Agent, c.Parent, c.Model, c.Profile, c.Key, c.Sent, b.now().Unix()).Scan(&s.id)
	})
	if err != nil {
		s.err = fmt.Errorf("put call on record: %w", err)
	}
	b.failing.Store(err != nil)
}

// Seen notes how many bytes of text of the answer have passed, so that they count even if the process is killed.
func (b *Book) Seen(ctx context.Context, s *Started, got int64) error {
	<-s.written
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := b.db.Exec(tx, "UPDATE llm_started SET got = max(got, ?), seen = ? WHERE id = ?", got, b.now().Unix(), s.id)
		return err
	})
	if err != nil {
		return fmt.Errorf("note answer: %w", err)
	}
	return nil
}

// Drop takes a call off the record that used nothing: the provider refused it, or was never reached.
func (b *Book) Drop(ctx context.Context, s *Started) error {
	<-s.written
	err := b.db.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		_, err := b.db.Exec(tx, "DELETE FROM llm_started WHERE id = ?", s.id)
		return err
	})
	if err != nil {
		return fmt.Errorf("drop call: %w", err)
	}
	return nil
}

// Settle adds what the call used and takes it off the record, in one transaction, and returns once that is durable: it was
// given, so it counts even when ctx has ended, or when the call could not be put on record.
func (b *Book) Settle(ctx context.Context, s *Started, u Usage) error {
	<-s.written
	return b.add(ctx, s.id, s.Call, u)
}

// Add adds what a call used that was never begun: one that costs nothing, if it is lost.
func (b *Book) Add(ctx context.Context, c Call, u Usage) error { return b.add(ctx, 0, c, u) }

func (b *Book) add(ctx context.Context, id int64, c Call, u Usage) error {
	p, first := b.note(id, c.line(b.now()), u.counts())
	if !first {
		<-p.done
		return p.err
	}
	time.Sleep(perPage)
	err := b.db.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		b.close(p)
		return b.keep(tx, p)
	})
	if err != nil {
		p.err = fmt.Errorf("settle calls: %w", err)
		b.failing.Store(true)
	}
	b.close(p) // it was never taken when the write did not begin
	if err != nil {
		b.lay(p)
	}
	close(p.done)
	return p.err
}
