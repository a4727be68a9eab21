package runtime

import (
	"context"
	"strings"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// run is one turn of an agent at work.
type run struct {
	t          *tree
	parent     *run   // nil for the root
	parentCall string // the call that delegated it
	id         string
	agent      string
	text       string // the message or task it answers
	depth      int
	attempt    int

	// What a former life of the process left; zero for a run that begins in this one.
	revived bool
	ended   wire.RunState
	final0  string // wire.FinalData of a run that had ended well, JSON
	error0  string // wire.ErrorData of one that had not

	lane  *lane
	watch *stopwatch
	ctx   context.Context
	stop  context.CancelCauseFunc

	mu     sync.Mutex
	away   int // waits during which it needs no place in its lane
	parked int // waits for people
	held   bool
	said   strings.Builder // what it has said in the step at hand

	// Guarded by t.mu.
	worst policy.Tier
	taint taint.Sources // of the outside content that it has read
	total int           // calls that the gate has seen; of the whole tree, for the root

	// Used by the run's own goroutine alone.
	messages []llm.Message
	open     []*call // of the last step, that have no result yet
	finished bool    // the last step made no calls: its text is the answer
	answer   string
	judged   answer.Result
	steps    int
	made     int
	actor    string // in whose name the calls of this step are made; empty: its own
	loops    loops
	restated bool   // it was asked once to take back what no receipt shows
	earlier  string // the answer before that
	usage    wire.Usage
}

// ready gives a run its switch and its watch.
func (r *run) ready(parent context.Context, usedMS int64) {
	r.ctx, r.stop = context.WithCancelCause(parent)
	r.watch = newStopwatch(r.t.rt.limits.Wall, msToDuration(usedMS), r.outOfTime)
}

func (r *run) outOfTime() {
	r.stop(&limited{"it was at work for " + r.t.rt.limits.Wall.String()})
}

// enter takes a place in the lane and starts the watch.
func (r *run) enter() error {
	err := r.lane.enter(r.ctx, func() {
		r.t.emit(wire.EventQueued, func(n int64) any {
			return wire.QueuedData{N: n, RunID: r.id, Why: "the team is busy with other conversations"}
		})
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.held = true
	r.mu.Unlock()
	r.watch.start()
	return nil
}

// exit gives the place back, if the run has one.
func (r *run) exit() {
	r.watch.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held && r.away == 0 {
		r.lane.leave()
	}
	r.held = false
}

// wait says that the run begins (true) or ends (false) to wait for something that is not its own work: then it needs
// no place in its lane.
func (r *run) wait(begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begins {
		if r.away++; r.away == 1 && r.held {
			r.lane.leave()
		}
		return
	}
	if r.away--; r.away == 0 && r.held {
		r.lane.again()
	}
}

// park says that the run begins or ends to wait for a person. Whoever delegated to it waits too. Its time stands.
func (r *run) park(begins bool) {
	r.mu.Lock()
	if begins {
		r.parked++
	} else {
		r.parked--
	}
	first, last := begins && r.parked == 1, !begins && r.parked == 0
	r.mu.Unlock()
	if !first && !last {
		return
	}
	if first {
		r.watch.stop()
		r.note(wire.RunParked)
	} else {
		r.watch.start()
		r.note(wire.RunRunning)
	}
	if r.parent != nil {
		r.parent.park(begins)
	}
}

func (r *run) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.parked > 0
}

// note keeps the state of an open run.
func (r *run) note(s wire.RunState) {
	now, active := r.t.rt.d.Now(), r.watch.active().Milliseconds()
	root, session := r.parent == nil, r.t.session
	r.t.later(func(tx txn) error {
		return updateState(tx, r.id, session, root, s, active, now)
	})
}

// level is the lowest autonomy level of the chain of delegation, as the owner has it set now.
func (r *run) level(cfg wire.Config) int {
	lowest := levelOf(cfg, r.agent)
	for p := r.parent; p != nil; p = p.parent {
		lowest = min(lowest, levelOf(cfg, p.agent))
	}
	return lowest
}

func levelOf(cfg wire.Config, agent string) int {
	if own := cfg.Agents[agent].Level; own != 0 {
		return own
	}
	return cfg.DefaultLevel
}

// say gathers what the model says in this step, for the error that may end it.
func (r *run) say(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.WriteString(s)
}

func (r *run) saidSoFar() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.String()
}

func (r *run) hush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.Reset()
}
