package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"gatehouse/agentd/store"
)

// safely takes a call on its way. A fault in any stage ends this call with a receipt, and nothing else: a process that died
// of it would make the call again in its next life, and die again.
func (p *pass) safely(ctx context.Context, way func() (Outcome, error)) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.g.d.Log.ErrorContext(ctx, "a stage of the gate panicked", "tool", p.c.Tool, "call_id", p.c.ID, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			out, err = p.broken(ctx)
		}
	}()
	out, err = way()
	if errors.Is(err, store.ErrPanicked) && !errors.Is(err, ErrClosing) { // what ran while the process ends is for its next life
		p.g.d.Log.ErrorContext(ctx, "a stage of the gate panicked in its write", "tool", p.c.Tool, "call_id", p.c.ID, "error", err)
		return p.broken(ctx)
	}
	return out, err
}

// broken ends a call in whose stages is a fault: it may not run. What had begun to run has an outcome that nobody knows.
func (p *pass) broken(ctx context.Context) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its end panicked too: %v", r)
		}
	}()
	r, err := loadRecord(context.WithoutCancel(ctx), p.g.d.DB.Read(), p.c.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case r != nil && r.ended():
		return r.outcome(), nil
	case r != nil && r.State == stateStarted:
		p.rec = r
		return p.unknown(ctx)
	}
	return p.deny(ctx, &refusal{"gate", "a stage of the gate has a fault", "This could not be judged, for a fault of this server, so it was not done."})
}

// look is guard for a fn that answers something, which counts only without an error.
func look[T any](ctx context.Context, fn func(context.Context) (T, error)) (seen T, err error) {
	got := make(chan T, 1) // a late one goes on beside us
	err = guard(ctx, measureWithin, func(ctx context.Context) error {
		v, err := fn(ctx)
		got <- v
		return err
	})
	if err == nil {
		seen = <-got
	}
	return seen, err
}
