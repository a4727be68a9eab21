package runtime

import (
	"context"
	"strings"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/runtime/lane"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// run is one turn of an agent: a message or a delegated task, from the prompt to the answer.
type run struct {
	rt         *Runtime
	t          *tree
	parent     *run   // nil for the root
	parentCall string // the call that delegated it
	id         string
	agent      string
	model      llm.Provider // asked last; nil before the first step
	text       string       // the message or task it answers
	attached   []string     // files that went with the message
	said       string       // the answer, where no model is asked
	depth      int
	attempt    int

	// What a former process left; zero for a run that begins in this one.
	resumed   bool
	state     wire.RunState
	finalJSON string // wire.FinalData of a run that had ended well, JSON
	errorJSON string // wire.ErrorData of one that had not

	lane  *lane.Lane
	watch *stopwatch
	ctx   context.Context
	stop  context.CancelCauseFunc
	over  chan struct{} // closed by isOver
	ends  sync.Once

	mu       sync.Mutex
	waiting  int // waits during which it needs no place in its lane
	parked   int // waits for people
	hasPlace bool
	partial  strings.Builder // what the model has said in this step

	// Guarded by t.mu.
	worstTier policy.Tier
	taint     taint.Sources    // of the outside content that it has read
	callCount int              // calls that the gate has seen; of the whole tree, for the root
	memories  []wire.MemoryUse // notes that it was reminded of

	// Used by the run's own goroutine alone.
	messages     []llm.Message
	pendingCalls []*call // of the last step, that have no result yet
	finished     bool    // the last step made no calls: its text is the answer
	answer       string
	checked      answer.Result
	steps        int
	callsMade    int
	actor        string // in whose name the calls of this step are made; empty: its own
	loopDetector loopDetector
	restated     bool   // it was asked once to take back what no receipt shows
	firstAnswer  string // the answer before that
	usage        wire.Usage
}

// initClock gives a run its cancel switch and its stopwatch.
func (r *run) initClock(parent context.Context, usedMS int64) {
	r.ctx, r.stop = context.WithCancelCause(parent)
	r.over = make(chan struct{})
	r.watch = newStopwatch(r.wall(), msToDuration(usedMS), r.outOfTime)
}

func (r *run) outOfTime() {
	r.stop(&limitError{what: "it was at work for " + r.wall().String(), time: true})
}

// isOver tells those who wait for a delegated run that it is over in this process.
func (r *run) isOver() { r.ends.Do(func() { close(r.over) }) }

// enterLane takes a place in the lane and starts the watch.
func (r *run) enterLane() error {
	err := r.lane.Enter(r.ctx, func() {
		r.t.events.Emit(wire.EventQueued, func(n int64) any {
			return wire.QueuedData{N: n, RunID: r.id, Why: "the team is busy with other conversations"}
		})
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.hasPlace = true
	r.mu.Unlock()
	r.watch.start()
	return nil
}

// leaveLane gives the place back, if the run has one.
func (r *run) leaveLane() {
	r.watch.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hasPlace && r.waiting == 0 {
		r.lane.Leave()
	}
	r.hasPlace = false
}

// setWaiting notes that the run starts or stops waiting for something that is not its own work. While it waits, it needs no
// place in its lane.
func (r *run) setWaiting(begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begins {
		if r.waiting++; r.waiting == 1 && r.hasPlace {
			r.lane.Leave()
		}
		return
	}
	if r.waiting--; r.waiting == 0 && r.hasPlace {
		r.lane.Retake()
	}
}

// setParked notes that the run starts or stops waiting for a person. The run that delegated to it waits, too. While it waits,
// its stopwatch stands still.
func (r *run) setParked(begins bool) {
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
		r.recordState(wire.RunParked)
		r.t.subParked()
	} else {
		r.watch.start()
		r.recordState(wire.RunRunning)
	}
	if r.parent != nil {
		r.parent.setParked(begins)
	}
}

func (r *run) isParked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.parked > 0
}

// recordState stores the state of an open run.
func (r *run) recordState(s wire.RunState) {
	now, active := r.rt.now(), r.watch.active().Milliseconds()
	root, session := r.parent == nil, r.t.session
	r.t.later(func(tx txn) error {
		return updateState(tx, r.id, session, root, s, active, now)
	})
}

// level is the lowest autonomy level of the chain of delegation, as the owner has it set now, and of the schedule that began it.
// A sub-agent stands behind those that stood behind the call that began it.
func (r *run) level(cfg wire.Config) int {
	lowest := levelOf(cfg, r.agent)
	if r.t.levelCap > 0 {
		lowest = min(lowest, r.t.levelCap)
	}
	for p := r.parent; p != nil; p = p.parent {
		lowest = min(lowest, levelOf(cfg, p.agent))
	}
	if r.t.sub != nil {
		for _, agent := range r.t.sub.chain {
			lowest = min(lowest, levelOf(cfg, agent))
		}
	}
	return lowest
}

func levelOf(cfg wire.Config, agent string) int {
	if own := cfg.Agents[agent].Level; own != 0 {
		return own
	}
	return cfg.DefaultLevel
}

// addPartial collects what the model says in this step, for the error that may end the run.
func (r *run) addPartial(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partial.WriteString(s)
}

func (r *run) partialText() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.partial.String()
}

func (r *run) resetPartial() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partial.Reset()
}
