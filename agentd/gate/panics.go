package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"gatehouse/agentd/store"
)

// recoverPanics takes a call on its way. A fault in any stage ends this call with a receipt, and nothing else: a process that died
// of it would make the call again in its next life, and die again.
func (p *pipeline) recoverPanics(ctx context.Context, way func() (Outcome, error)) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.log.ErrorContext(ctx, "a stage of the gate panicked", "tool", p.call.Tool, "call_id", p.call.ID, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			out, err = p.endAfterPanic(ctx)
		}
	}()
	out, err = way()
	if errors.Is(err, store.ErrPanicked) && !errors.Is(err, ErrClosing) { // what ran while the process ends is for its next life
		p.log.ErrorContext(ctx, "a stage of the gate panicked in its write", "tool", p.call.Tool, "call_id", p.call.ID, "error", err)
		return p.endAfterPanic(ctx)
	}
	return out, err
}

// endAfterPanic ends a call in whose stages is a fault: it may not run. What had begun to run has an outcome that nobody knows.
func (p *pipeline) endAfterPanic(ctx context.Context) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its end panicked too: %v", r)
		}
	}()
	r, err := loadRecord(context.WithoutCancel(ctx), p.db.Read(), p.call.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case r != nil && r.ended():
		return r.outcome(), nil
	case r != nil && r.State == stateStarted:
		p.record = r
		return p.endUnknown(ctx)
	}
	return p.deny(ctx, &refusal{"gate", "a stage of the gate has a fault", "This could not be judged, for a fault of this server, so it was not done."})
}

// boundedValue is guard for a fn that answers something, which counts only without an error.
func boundedValue[T any](ctx context.Context, fn func(context.Context) (T, error)) (seen T, err error) {
	got := make(chan T, 1) // a late one goes on beside us
	err = bounded(ctx, measureWithin, func(ctx context.Context) error {
		v, err := fn(ctx)
		got <- v
		return err
	})
	if err == nil {
		seen = <-got
	}
	return seen, err
}
