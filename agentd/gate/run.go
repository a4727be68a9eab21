package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/tool"
)

const (
	// DefaultTimeout bounds a run of a tool whose definition names none. A negative one means no bound.
	DefaultTimeout = 2 * time.Minute
	// permitFor is how long a tool may take from getting its permit to redeeming it.
	permitFor = 30 * time.Second
	// grace is how long a tool may go on after it was told to stop, before its end counts as unknown.
	grace = 10 * time.Second
	// graceAtEnd is the same while the process has to end.
	graceAtEnd = 2 * time.Second
)

var (
	errTimeout = errors.New("the tool took too long")
	errDeaf    = errors.New("the tool did not stop when told to")
)

// ended is how a run of a tool came to its end.
type ended struct {
	result  tool.Result
	err     error
	stopped bool // by the end of the run's context
	unknown bool // nobody can tell what it did
}

// run is stage 9: the only place where Tool.Run is called. The intent is durable.
func (p *pass) run(ctx context.Context) (Outcome, error) {
	stop, cancel := p.limit(ctx)
	defer cancel()
	failpoint.Hit("running")
	e := p.call(stop)
	failpoint.Hit("ran")
	e.stopped = e.err != nil && ctx.Err() != nil
	if e.err != nil && p.e.def.Idempotent && (errors.Is(context.Cause(stop), ErrClosing) || errors.Is(e.err, ErrClosing)) {
		return Outcome{}, ErrClosing // the next life of the process runs it again under the same call id
	}
	return p.settle(e)
}

// limit is the context of the run: it ends with the caller's, after the tool's time, or when the process must end.
func (p *pass) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(p.g.force, func() { cancel(ErrClosing) })
	d := p.e.def.Timeout
	if d == 0 {
		d = DefaultTimeout
	}
	var timer *time.Timer
	if d > 0 {
		timer = time.AfterFunc(d, func() { cancel(errTimeout) })
	}
	return ctx, func() {
		release()
		if timer != nil {
			timer.Stop()
		}
		cancel(nil)
	}
}

// call runs the tool with its permit. It returns when the tool does, or a while after the tool was told to stop.
func (p *pass) call(ctx context.Context) ended {
	permit := mint(p.c.ID, p.c.RunID, p.c.Agent, p.c.Tool, p.c.Args, p.frozen, p.g.d.Now, permitFor)
	permit.grant.loan, permit.grant.resumed = p.lending(), p.resumed
	defer permit.grant.loan.ended.Store(true)
	got := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if r := recover(); r != nil {
				e.err = fmt.Errorf("tool panicked: %v", r)
			}
			got <- e
		}()
		e.result, e.err = p.e.tool.Run(ctx, permit, p.c.Args)
	}()
	select {
	case e := <-got:
		return p.timed(ctx, e)
	case <-ctx.Done():
	}
	late := time.NewTimer(patience(ctx))
	defer late.Stop()
	select {
	case e := <-got:
		return p.timed(ctx, e)
	case <-late.C:
		return ended{err: errDeaf, unknown: true}
	}
}

func patience(ctx context.Context) time.Duration {
	if errors.Is(context.Cause(ctx), ErrClosing) {
		return graceAtEnd
	}
	return grace
}

// timed names the tool's time limit as the cause when that is what ended it.
func (p *pass) timed(ctx context.Context, e ended) ended {
	if e.err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		e.err = fmt.Errorf("%w: %w", errTimeout, e.err)
	}
	return e
}
