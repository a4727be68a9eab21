package event

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Gap is how far the numbers of events jump when another process goes on with a run: further than any process can have
// counted in events that it showed and did not store.
const Gap = 1 << 20

// Stream is the events of one root run and the changes of the tables that belong to them.
type Stream struct {
	log           *Log
	root, session string

	mu      sync.Mutex
	n       int64 // number of the newest event
	pending pending
	shown   []wire.RunEvent // and not durable yet, in order
	changes int64           // made so far
	writing int             // writes that have taken what was pending and are not durable yet
	closed  bool            // the last event has its number
}

// Stream begins the stream of a root run.
func (l *Log) Stream(root, session string) *Stream {
	return &Stream{log: l, root: root, session: session}
}

// Resume goes on after the numbers of any event that the former process can have shown. It returns the receipts that are in
// the stream.
func (s *Stream) Resume(ctx context.Context) (receipts []int64, err error) {
	n, err := s.log.Newest(ctx, s.root)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.n = (n/Gap + 1) * Gap
	s.mu.Unlock()
	rows, err := s.log.store.Read().QueryContext(ctx,
		"SELECT json_extract(data, '$.seq') FROM run_events WHERE root_id = ? AND event = 'receipt'", s.root)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		receipts = append(receipts, seq)
	}
	return receipts, rows.Err()
}

// Emit gives an event the next number, shows it, and stores it with the next write. data gets the number; it must not use
// the stream.
func (s *Stream) Emit(kind wire.Event, data func(n int64) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	e, err := s.number(kind, data)
	if err != nil {
		s.log.log.Error("event not made", "event", string(kind), "run_id", s.root, "error", err)
		return
	}
	s.pending.events = append(s.pending.events, e)
	s.shown = append(s.shown, e)
	s.log.emitter.Emit(e)
	s.log.mark(s)
}

// number makes the next event, as it is shown and stored. s.mu is held.
func (s *Stream) number(kind wire.Event, data func(n int64) any) (wire.RunEvent, error) {
	b, err := json.Marshal(data(s.n + 1))
	if err != nil {
		return wire.RunEvent{}, fmt.Errorf("event %s: %w", kind, err)
	}
	s.n++
	return wire.RunEvent{Root: s.root, Session: s.session, N: s.n, Event: kind, Data: redact.Frame(b)}, nil
}

// End makes the event after which nothing follows, stored together with its changes: never one without the other. The end is
// durable before it is shown. When it cannot be made durable now, it is shown all the same, and stored as soon as there is
// room.
func (s *Stream) End(kind wire.Event, data func(n int64) any, changes ...Change) {
	if err := s.Finish(kind, data, changes...); err != nil {
		s.log.log.Error("end of a run not kept yet", "run_id", s.root, "error", err)
	}
}

// Finish is End, and says why the end is not durable yet, for one who must not go on before it is.
func (s *Stream) Finish(kind wire.Event, data func(n int64) any, changes ...Change) error {
	e, bad := s.last(kind, data, changes)
	err := errors.Join(bad, s.Sync())
	if bad == nil {
		s.log.emitter.Emit(e)
	}
	return err
}

func (s *Stream) last(kind wire.Event, data func(n int64) any, changes []Change) (wire.RunEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, change := range changes {
		s.add(change)
	}
	e, err := s.number(kind, data)
	if err == nil {
		s.pending.events = append(s.pending.events, e)
	}
	return e, err
}

// Suspend emits nothing more: the next process goes on with the run.
func (s *Stream) Suspend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Add stores a change with the next write of this stream, in order.
func (s *Stream) Add(change Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(change)
}

func (s *Stream) add(change Change) {
	s.changes++
	s.pending.changes = append(s.pending.changes, numbered{s.changes, change})
	s.log.mark(s)
}

// Write makes what is pending, and then change, durable. When it cannot, what was pending stays so.
func (s *Stream) Write(change Change) error {
	take := s.takeOnce()
	err := s.log.store.Write(context.Background(), func(tx *sql.Tx) error {
		// On the one writer: whatever was taken before is written before.
		if err := take().apply(s.log.store, tx); err != nil {
			return err
		}
		return change(tx)
	})
	s.settle(take(), err)
	return err
}

// Sync makes what was shown so far durable.
func (s *Stream) Sync() error {
	s.mu.Lock()
	nothing := s.pending.empty() && s.writing == 0
	s.mu.Unlock()
	if nothing {
		return nil
	}
	return s.Write(func(*sql.Tx) error { return nil })
}

// takeOnce is take for a Write, which may run a second time: it then writes what it took the first time and no more. What
// came in between belongs after what other writes of this stream took meanwhile.
func (s *Stream) takeOnce() func() pending { return sync.OnceValue(s.take) }

// take takes what is pending on its way to the disk; settle must follow.
func (s *Stream) take() pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending
	s.pending = pending{}
	if !p.empty() {
		s.writing++
	}
	return p
}

// settle ends what take began. What did not get to the disk is pending again, in its place.
func (s *Stream) settle(p pending, err error) {
	if p.empty() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing--
	if err == nil {
		s.shown = slices.DeleteFunc(s.shown, func(e wire.RunEvent) bool { return p.has(e.N) })
		return
	}
	s.pending = p.merge(s.pending)
	s.log.mark(s)
}

// Shown are the events after a number that readers have seen and that are not durable yet.
func (s *Stream) Shown(from int64) []wire.RunEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.shown, func(e wire.RunEvent) bool { return e.N > from })
	if i < 0 {
		return nil
	}
	return slices.Clone(s.shown[i:])
}

// Merge puts stored and shown events in the order of their numbers, each once.
func Merge(stored, shown []wire.RunEvent) []wire.RunEvent {
	all := append(stored, shown...)
	slices.SortStableFunc(all, func(a, b wire.RunEvent) int { return cmp.Compare(a.N, b.N) })
	return slices.CompactFunc(all, func(a, b wire.RunEvent) bool { return a.N == b.N })
}
