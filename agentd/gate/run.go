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
	// grace is how long a tool may go on after it was told to stop, before its outcome counts as unknown.
	grace = 10 * time.Second
	// graceAtEnd is the same while the process ends.
	graceAtEnd = 2 * time.Second
)

var (
	errTimeout = errors.New("the tool took too long")
	errNoStop  = errors.New("the tool did not stop when told to")
)

// runResult is how a run of a tool ended.
type runResult struct {
	result  tool.Result
	err     error
	stopped bool // by the end of the run's context
	unknown bool // nobody can tell what it did
}

// runTool is stage 9, the only stage that runs a tool. The record of the start is durable.
func (p *pipeline) runTool(ctx context.Context) (Outcome, error) {
	stop, cancel := p.runContext(ctx)
	defer cancel()
	failpoint.Hit("running")
	e := p.callTool(stop)
	failpoint.Hit("ran")
	e.stopped = e.err != nil && ctx.Err() != nil
	if e.err != nil && p.def.Idempotent && (errors.Is(context.Cause(stop), ErrClosing) || errors.Is(e.err, ErrClosing)) {
		return Outcome{}, ErrClosing // the next process runs it again under the same call id
	}
	return p.recordOutcome(e)
}

// runContext is the context of the run. It ends with the caller's, after the tool's time, or when the process must end.
func (p *pipeline) runContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(p.toolsCtx, func() { cancel(ErrClosing) })
	d := p.def.Timeout
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

// callTool runs the tool with its permit; nothing else calls Tool.Run. It returns when the tool does, or some time after the
// tool was told to stop.
func (p *pipeline) callTool(ctx context.Context) runResult {
	permit := mint(p.call.ID, p.call.RunID, p.call.Agent, p.call.Tool, p.call.Args, p.frozen, p.deps.Now, permitFor)
	permit.grant.secrets, permit.grant.resumed = p.newCallSecrets(), p.resumed
	permit.grant.tainted = len(p.call.Taint) > 0
	defer permit.grant.secrets.ended.Store(true)
	got := make(chan runResult, 1)
	go func() {
		var e runResult
		defer func() {
			if r := recover(); r != nil {
				e.err = fmt.Errorf("tool panicked: %v", r)
			}
			got <- e
		}()
		e.result, e.err = p.tool.Run(ctx, permit, p.call.Args)
	}()
	select {
	case e := <-got:
		return p.markTimeout(ctx, e)
	case <-ctx.Done():
	}
	late := time.NewTimer(graceOf(ctx))
	defer late.Stop()
	select {
	case e := <-got:
		return p.markTimeout(ctx, e)
	case <-late.C:
		return runResult{err: errNoStop, unknown: true}
	}
}

func graceOf(ctx context.Context) time.Duration {
	if errors.Is(context.Cause(ctx), ErrClosing) {
		return graceAtEnd
	}
	return grace
}

// markTimeout names the tool's time limit as the cause when that ended it.
func (p *pipeline) markTimeout(ctx context.Context, e runResult) runResult {
	if e.err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		e.err = fmt.Errorf("%w: %w", errTimeout, e.err)
	}
	return e
}
