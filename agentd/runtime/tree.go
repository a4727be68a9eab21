package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse/agentd/runtime/event"
	"gatehouse/agentd/wire"
)

// tree is a root run at work, with the runs it delegated: one stream of events, one switch that stops all of them.
type tree struct {
	rt      *Runtime
	root    *run
	session string
	seq     int64 // of the root in table runs: the order of messages
	origin  wire.Origin
	events  *event.Stream
	came    time.Time
	first   bool // known to be the first message of its session
	begun   bool // it is past the point where what waits becomes part of its first step; guarded by rt.mu

	levelCap int       // no run of it stands higher; 0: none
	budget   string    // the root run whose budgets it draws from; empty: its own
	sub      *subagent // nil: it is the work of none

	ctx     context.Context
	cancel  context.CancelCauseFunc
	started atomic.Bool   // by the goroutine that runs it, or by one that stopped it while it was queued
	ending  atomic.Bool   // its work is over; whoever sees its end finds it counted no more
	done    chan struct{} // closed when it has ended, or was left to the next process

	mu       sync.Mutex
	receipts map[int64]bool // that are in the stream
	runs     []*run         // parents first
	handoffs int            // delegated runs that were made or are being made
	usage    wire.Usage
	joined   []runRow // messages that are answered together with the root's
}

// later stores a change with the next write of this tree, in order.
func (t *tree) later(do func(txn) error) { t.events.Add(t.rt.inTx(do)) }

// write makes what is pending, and then fn's change, durable. When it cannot, what was pending stays so.
func (t *tree) write(fn func(txn) error) error { return t.events.Write(t.rt.inTx(fn)) }

// byPerson says whether a person wrote the message. Only what a person wrote can be a command.
func (t *tree) byPerson() bool {
	return t.sub == nil && !t.origin.Report && !t.byMachine()
}

// byMachine says whether a schedule or a hook sent the message of the root run above.
func (t *tree) byMachine() bool {
	return t.origin.Channel == scheduleChannel || t.origin.Channel == hookChannel
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
