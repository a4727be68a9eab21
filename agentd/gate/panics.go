package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"gatehouse/agentd/store"
)

// recoverPanics runs a call. A panic in any stage ends this call with a receipt, and nothing else: a process that died of it
// would make the call again in its next life, and die again.
func (p *pipeline) recoverPanics(ctx context.Context, way func() (Outcome, error)) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.log.ErrorContext(ctx, "a stage of the gate panicked",
				"tool", p.call.Tool, "call_id", p.call.ID, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			out, err = p.endAfterPanic(ctx)
		}
	}()
	out, err = way()
	if errors.Is(err, store.ErrPanicked) && !errors.Is(err, ErrClosing) { // a call that ran while the process ended is for the next one
		p.log.ErrorContext(ctx, "a stage of the gate panicked in its write", "tool", p.call.Tool, "call_id", p.call.ID, "error", err)
		return p.endAfterPanic(ctx)
	}
	return out, err
}

// endAfterPanic ends a call whose stages panicked: it may not run. If it had started to run, its outcome is unknown.
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
	return p.deny(ctx, &refusal{
		"gate", "a stage of the gate has a fault",
		"This could not be judged, for a fault of this server, so it was not done.",
	})
}

// boundedValue is bounded for a fn that answers a value, which counts only without an error.
func boundedValue[T any](ctx context.Context, fn func(context.Context) (T, error)) (seen T, err error) {
	got := make(chan T, 1) // a late answer goes nowhere
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
