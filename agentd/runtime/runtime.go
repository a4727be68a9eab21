package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/taint"
)

// Runtime runs the team of one server.
type Runtime struct {
	d      Deps
	limits Limits
	doer   gate.Doer
	files  *taint.Files

	main, sub *lane
	flush     *flusher
	flights   *flights
	work      sync.WaitGroup // everything that may still use the store

	started chan struct{}   // closed when runs may begin
	closing context.Context // ends, with gate.ErrClosing as its cause, when nothing new shall begin
	shut    context.CancelCauseFunc
	base    context.Context // of every run; ends when Close is out of patience
	kill    context.CancelCauseFunc
	halt    context.CancelFunc // of the flusher, after the last run
	flushed chan struct{}      // closed when the flusher has stopped

	mu        sync.Mutex
	trees     map[string]*tree // at work or queued, by root run
	byRun     map[string]*tree // the same, by any of their runs
	sessions  map[string]*queue
	cancelled map[string]*stopped // stops whose message has not come yet
	closed    bool                // no goroutine may begin anymore, but from one that is at work
}

// New makes a Runtime that is not running yet: messages may be posted, but nothing starts before Start.
func New(d Deps) (*Runtime, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	r := &Runtime{
		d: d, limits: d.Limits.orDefault(), flush: newFlusher(d.Store), flights: newFlights(),
		files: taint.NewFiles(d.Store, d.Root, d.Log), started: make(chan struct{}), flushed: make(chan struct{}),
		trees: map[string]*tree{}, byRun: map[string]*tree{}, sessions: map[string]*queue{}, cancelled: map[string]*stopped{},
	}
	r.main, r.sub = newLane(r.limits.Main), newLane(r.limits.Subagent)
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
	r.halt = halt
	go r.keepFlushing(keep)
	if err := r.recover(ctx); err != nil {
		return fmt.Errorf("take up runs: %w", err)
	}
	context.AfterFunc(ctx, func() { r.shut(gate.ErrClosing) })
	close(r.started)
	return nil
}

func (r *Runtime) keepFlushing(ctx context.Context) {
	defer close(r.flushed)
	r.flush.run(ctx, func(err error) { r.d.Log.Error("events not kept yet", "error", err) })
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
	if r.halt != nil {
		r.halt()
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
		case t.root.waits():
			parked++
		case t.taken.Load():
			active++
		}
	}
	return active, parked
}
