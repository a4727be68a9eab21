package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// epoch is how far the numbers of events jump when another process goes on with a run: further than any process can
// have counted in events that it showed but did not live to keep.
const epoch = 1 << 20

// tree is a root run at work, with the runs it delegated: one stream of events, one switch that stops it all.
type tree struct {
	rt      *Runtime
	root    *run
	session string
	seq     int64 // of the root in table runs: the order of messages
	origin  wire.Origin
	first   bool // known to be the first message of its conversation

	ctx    context.Context
	cancel context.CancelCauseFunc
	taken  atomic.Bool   // by the goroutine that runs it, or by one that stopped it while it was queued
	done   chan struct{} // closed when it has ended, or was left to the next life of the process

	mu       sync.Mutex
	n        int64 // number of the newest event
	pending  pending
	unkept   []wire.RunEvent // shown and not durable yet, in order
	changes  int64           // made so far
	onTheWay int             // writes that have taken what was pending and are not durable yet
	closed   bool            // the last event has its number
	left     bool
	receipts map[int64]bool // that are in the stream
	runs     []*run         // parents first
	handed   int            // delegated runs that were made or are being made
	usage    wire.Usage
}

// pending is what a tree has shown but not kept yet.
type pending struct {
	events  []wire.RunEvent
	changes []change
}

// change is one change of the tables, with its place in the order of the tree's changes.
type change struct {
	no int64
	do func(txn) error
}

func (p pending) empty() bool { return len(p.events) == 0 && len(p.changes) == 0 }

// has says whether the event of a number is among them.
func (p pending) has(n int64) bool {
	_, ok := slices.BinarySearchFunc(p.events, n, func(e wire.RunEvent, n int64) int { return cmp.Compare(e.N, n) })
	return ok
}

func (p pending) apply(tx txn) error {
	if err := insertEvents(tx, p.events); err != nil {
		return err
	}
	for _, c := range p.changes {
		if err := c.do(tx); err != nil {
			return err
		}
	}
	return nil
}

// emit gives an event the next number, shows it, and keeps it with the next write. data gets the number; it must not
// touch the tree.
func (t *tree) emit(kind wire.Event, data func(n int64) any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	e, err := t.number(kind, data)
	if err != nil {
		t.rt.d.Log.Error("event not made", "event", string(kind), "run_id", t.root.id, "error", err)
		return
	}
	t.pending.events = append(t.pending.events, e)
	t.unkept = append(t.unkept, e)
	t.rt.d.Emitter.Emit(e)
	t.rt.flush.mark(t)
}

// number makes the next event, as it is shown and kept. t.mu is held.
func (t *tree) number(kind wire.Event, data func(n int64) any) (wire.RunEvent, error) {
	b, err := json.Marshal(data(t.n + 1))
	if err != nil {
		return wire.RunEvent{}, fmt.Errorf("event %s: %w", kind, err)
	}
	t.n++
	return wire.RunEvent{Root: t.root.id, Session: t.session, N: t.n, Event: kind, Data: redact.Frame(b)}, nil
}

// last makes the event after which nothing follows, together with what it says of the tables: never one without the
// other. It is not shown yet: that the run has ended must be durable first.
func (t *tree) last(kind wire.Event, data func(n int64) any, changes ...func(txn) error) (wire.RunEvent, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, do := range changes {
		t.add(do)
	}
	e, err := t.number(kind, data)
	if err == nil {
		t.pending.events = append(t.pending.events, e)
	}
	return e, err
}

// later keeps a change with the next write of this tree, in order.
func (t *tree) later(do func(txn) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(do)
}

// add is later for who holds t.mu.
func (t *tree) add(do func(txn) error) {
	t.changes++
	t.pending.changes = append(t.pending.changes, change{t.changes, do})
	t.rt.flush.mark(t)
}

// write makes what is pending, and then fn's change, durable. When it cannot, what was pending stays so.
func (t *tree) write(fn func(txn) error) error {
	take := t.takeOnce()
	err := write(context.Background(), t.rt.d.Store, func(tx txn) error {
		if err := take().apply(tx); err != nil { // on the one writer: whatever was taken before is written before
			return err
		}
		return fn(tx)
	})
	t.settle(take(), err)
	return err
}

// sync makes what was shown so far durable.
func (t *tree) sync() error {
	t.mu.Lock()
	nothing := t.pending.empty() && t.onTheWay == 0
	t.mu.Unlock()
	if nothing {
		return nil
	}
	return t.write(func(txn) error { return nil })
}

// takeOnce is take for a Write, which may run a second time: it then writes what it took the first time and no more. What
// came in between belongs behind what other writes of this tree took meanwhile.
func (t *tree) takeOnce() func() pending { return sync.OnceValue(t.take) }

// take takes what is pending on its way to the disk; settle must follow.
func (t *tree) take() pending {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.pending
	t.pending = pending{}
	if !p.empty() {
		t.onTheWay++
	}
	return p
}

// settle ends what take began. What did not get to the disk is pending again, in its place.
func (t *tree) settle(p pending, err error) {
	if p.empty() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onTheWay--
	if err == nil {
		t.unkept = slices.DeleteFunc(t.unkept, func(e wire.RunEvent) bool { return p.has(e.N) })
		return
	}
	t.pending.events = append(p.events, t.pending.events...)
	slices.SortFunc(t.pending.events, func(a, b wire.RunEvent) int { return cmp.Compare(a.N, b.N) })
	t.pending.changes = append(p.changes, t.pending.changes...)
	slices.SortFunc(t.pending.changes, func(a, b change) int { return cmp.Compare(a.no, b.no) })
	t.rt.flush.mark(t)
}

// shown are the events after a number that readers have seen and that are not durable yet.
func (t *tree) shown(from int64) []wire.RunEvent {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.unkept, func(e wire.RunEvent) bool { return e.N > from })
	if i < 0 {
		return nil
	}
	return slices.Clone(t.unkept[i:])
}

// ids are the runs of the tree.
func (t *tree) ids() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]string, len(t.runs))
	for i, r := range t.runs {
		all[i] = r.id
	}
	return all
}

// leave gives the tree up as it stands, for the next life of the process.
func (t *tree) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed, t.left = true, true
}
