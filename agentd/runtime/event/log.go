package event

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

const (
	// flushInterval is how long events may be shown before they are stored, when nothing else is written meanwhile.
	flushInterval = 15 * time.Millisecond
	// retryInterval is the pause after a write that failed: a full disk stays full for a while.
	retryInterval = time.Second
)

// Store is the SQLite state; agentd/store.DB is one.
type Store interface {
	Read() *store.Reader
	// Write runs fn in a transaction and returns when it is durable. It may run fn a second time.
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	// Exec is tx.Exec for queries that repeat. Only inside the fn of a Write.
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
}

// Emitter sends an event to whoever watches. It never blocks and may drop: readers notice the gap and ask.
type Emitter interface {
	Emit(e wire.RunEvent)
}

// Change is a change of the tables.
type Change func(tx *sql.Tx) error

// Log stores the events of all streams, many in one write.
type Log struct {
	store   Store
	emitter Emitter
	log     *slog.Logger
	wake    chan struct{}

	mu       sync.Mutex
	dirty    map[*Stream]bool
	detached []Change // of runs that have ended
}

// NewLog makes an event log. What is pending is stored while Run runs.
func NewLog(s Store, emitter Emitter, log *slog.Logger) *Log {
	return &Log{store: s, emitter: emitter, log: log, wake: make(chan struct{}, 1), dirty: map[*Stream]bool{}}
}

// Add stores a change that belongs to no stream with the next write.
func (l *Log) Add(change Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detached = append(l.detached, change)
	l.signal()
}

func (l *Log) mark(s *Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dirty[s] = true
	l.signal()
}

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run flushes until ctx ends, and once more then.
func (l *Log) Run(ctx context.Context) {
	for {
		select {
		case <-l.wake:
		case <-ctx.Done():
			_ = l.flush() // it says what went wrong
			return
		}
		pause := flushInterval
		if l.flush() != nil {
			pause = retryInterval
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// flush stores what is pending.
func (l *Log) flush() error {
	streams, detached := l.collect()
	if len(streams) == 0 && len(detached) == 0 {
		return nil
	}
	takes := make([]func() pending, len(streams))
	for i, s := range streams {
		takes[i] = s.takeOnce()
	}
	err := l.store.Write(context.Background(), func(tx *sql.Tx) error {
		for _, take := range takes {
			if err := take().apply(l.store, tx); err != nil {
				return err
			}
		}
		for _, change := range detached {
			if err := change(tx); err != nil {
				return err
			}
		}
		return nil
	})
	for i, s := range streams {
		s.settle(takes[i](), err)
	}
	if err != nil {
		l.log.Error("events not kept yet", "error", err)
		l.restore(streams, detached)
	}
	return err
}

func (l *Log) collect() ([]*Stream, []Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	streams := slices.Collect(maps.Keys(l.dirty))
	clear(l.dirty)
	detached := l.detached
	l.detached = nil
	return streams, detached
}

func (l *Log) restore(streams []*Stream, detached []Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range streams {
		l.dirty[s] = true
	}
	l.detached = append(detached, l.detached...)
	l.signal()
}

// Stored reads the durable events of a root run after a number.
func (l *Log) Stored(ctx context.Context, root, session string, from int64) ([]wire.RunEvent, error) {
	rows, err := l.store.Read().QueryContext(ctx, "SELECT n, event, data FROM run_events WHERE root_id = ? AND n > ? ORDER BY n", root, from)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	all := []wire.RunEvent{}
	for rows.Next() {
		e := wire.RunEvent{Root: root, Session: session}
		var data string
		if err := rows.Scan(&e.N, &e.Event, &data); err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		e.Data = []byte(data)
		all = append(all, e)
	}
	return all, rows.Err()
}

// Newest reads the number of the newest durable event of a root run; 0 when there is none.
func (l *Log) Newest(ctx context.Context, root string) (n int64, err error) {
	err = l.store.Read().QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM run_events WHERE root_id = ?", root).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read events: %w", err)
	}
	return n, nil
}
