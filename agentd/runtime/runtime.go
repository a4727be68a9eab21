package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime/event"
	"gatehouse/agentd/runtime/lane"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// Runtime runs the team of one server.
type Runtime struct {
	store     Store
	model     llm.Provider
	modelOf   func(agent string) llm.Provider
	team      Team
	receipts  Receipts
	approvals Approvals
	tiers     Tiers   // nil: calls of one step run one after the other
	signed    Signers // nil: nothing that needs a signature happens
	shelf     Shelf
	shown     Shown
	used      Used                                // may be nil
	paused    func(agent string) *wire.AgentPause // may be nil
	remind    Remind                              // may be nil
	forgets   Forget                              // may be nil
	deleted   func()                              // may be nil
	config    func() wire.Config
	now       func() time.Time
	log       *slog.Logger

	limits    Limits
	doer      gate.Doer
	files     *taint.Files
	events    *event.Log
	main, sub *lane.Lane // for runs of messages, and for delegated ones
	cron      *lane.Lane // for runs of schedules
	hook      *lane.Lane // for runs of hooks
	spawned   *lane.Lane // for sub-agents
	subs      *bell      // rings when a sub-agent has ended or waits for a person
	ended     func()     // may be nil
	over      Over       // may be nil
	sends     Sends
	inFlight  *inFlight
	work      sync.WaitGroup // everything that may still use the store

	started    chan struct{}   // closed when runs may begin
	closing    context.Context // ends, with gate.ErrClosing as its cause, when nothing new may begin
	shut       context.CancelCauseFunc
	base       context.Context // of every run; ends when Close is out of patience
	kill       context.CancelCauseFunc
	stopEvents context.CancelFunc // of the event log, after the last run
	flushed    chan struct{}      // closed when the event log has stopped

	mu           sync.Mutex
	trees        map[string]*tree // at work or queued, by root run
	byRun        map[string]*tree // the same, by any of their runs
	sessions     map[string]*sessionQueue
	earlyCancels map[string]*stoppedError // of runs whose message has not come yet
	closed       bool                     // no goroutine may begin anymore, except from one that is at work
}

// New makes a Runtime that is not running yet: messages may be posted, but nothing starts before Start.
func New(d Deps) (*Runtime, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	limits := d.Limits.orDefault()
	if d.ModelOf == nil {
		d.ModelOf = func(string) llm.Provider { return d.Model }
	}
	r := &Runtime{
		store: d.Store, model: d.Model, modelOf: d.ModelOf, team: d.Team, receipts: d.Receipts, approvals: d.Approvals, tiers: d.Tiers,
		signed: d.Signed, forgets: d.Forget, deleted: d.Deleted, used: d.Used, paused: d.Paused, remind: d.Remind,
		config: d.Config, now: d.Now, log: d.Log,
		limits: limits, files: taint.NewFiles(d.Store, d.Root, d.Log), events: event.NewLog(d.Store, d.Emitter, d.Log),
		main: lane.New(limits.Main), sub: lane.New(limits.Subagent), cron: lane.New(limits.Cron),
		ended: d.Ended, over: d.Over, sends: d.Sends,
		hook: lane.New(limits.Hook), spawned: lane.New(limits.Background), subs: newBell(),
		inFlight: newInFlight(),
		started:  make(chan struct{}), flushed: make(chan struct{}),
		trees: map[string]*tree{}, byRun: map[string]*tree{}, sessions: map[string]*sessionQueue{},
		earlyCancels: map[string]*stoppedError{},
	}
	if r.shown = d.Shown; r.shown == nil {
		r.shown = func(text string, _ wire.Origin) string { return text }
	}
	if r.sends == nil {
		r.sends = func(context.Context, string) (bool, error) { return true, nil }
	}
	if r.shelf = d.Shelf; r.shelf == nil {
		r.shelf = bare{}
	}
	r.closing, r.shut = context.WithCancelCause(context.Background())
	r.base, r.kill = context.WithCancelCause(context.Background())
	return r, nil
}

// Start takes up what a former process left and begins to run. Calls go through doer. It returns at once; when ctx
// ends, nothing new begins, and Close waits for the rest.
func (r *Runtime) Start(ctx context.Context, doer gate.Doer) error {
	if doer == nil {
		return errors.New("runtime: no gate to go through")
	}
	r.doer = doer
	keep, halt := context.WithCancel(context.Background())
	r.stopEvents = halt
	go func() {
		defer close(r.flushed)
		r.events.Run(keep)
	}()
	if err := r.resumeRuns(ctx); err != nil {
		return fmt.Errorf("take up runs: %w", err)
	}
	context.AfterFunc(ctx, func() { r.shut(gate.ErrClosing) })
	close(r.started)
	return nil
}

// Close begins nothing new, lets tools that run finish until ctx ends, and leaves every open run as it stands, for
// the next Start. It returns when nothing of the runtime uses the store anymore.
func (r *Runtime) Close(ctx context.Context) error {
	r.shut(gate.ErrClosing)
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		r.work.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = fmt.Errorf("runs did not end in time: %w", ctx.Err())
		r.kill(gate.ErrClosing)
		<-idle
	}
	r.kill(gate.ErrClosing)
	if r.stopEvents != nil {
		r.stopEvents()
		<-r.flushed
	}
	return err
}

// spawn begins a goroutine that Close waits for. r.mu is held. It says false when it is too late.
func (r *Runtime) spawn(fn func()) bool {
	if r.closed {
		return false
	}
	r.work.Go(fn)
	return true
}

func (r *Runtime) isClosing() bool { return r.closing.Err() != nil }

// Active counts the runs that are running, and parked those that wait for a person.
func (r *Runtime) Active() (active, parked int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.trees {
		switch {
		case t.ending.Load():
		case t.root.isParked():
			parked++
		case t.started.Load():
			active++
		}
	}
	return active, parked
}
