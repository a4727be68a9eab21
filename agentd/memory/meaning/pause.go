package meaning

import (
	"context"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// pause lets the model rest after a failure, and says for how long.
func (k *Keeper) pause(ctx context.Context, no *llm.Error) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.d.Now()
	if k.since.IsZero() {
		k.since = now
		k.d.Log.WarnContext(ctx, "search by meaning pauses", "error", no)
	}
	rest := max(min(k.d.First<<min(k.tries, 20), last), no.RetryAfter)
	k.tries++
	k.why, k.next = no, now.Add(rest)
	return rest
}

// rests is how long the model is left alone.
func (k *Keeper) rests() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.since.IsZero() {
		return 0
	}
	return max(k.next.Sub(k.d.Now()), 0)
}

// resume ends a pause.
func (k *Keeper) resume() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.since.IsZero() {
		k.d.Log.Info("search by meaning goes on")
	}
	k.since, k.next, k.why, k.tries, k.late = time.Time{}, time.Time{}, nil, 0, 0
}

// State says how the search by meaning stands; nil: it is off.
func (k *Keeper) State(ctx context.Context) (*wire.MemoryMeaning, error) {
	m := k.d.Model()
	if m.Name == "" {
		return nil, nil
	}
	in, err := k.d.Notes.In(ctx)
	if err != nil {
		return nil, err
	}
	known, all, err := k.d.Notes.Known(ctx)
	if err != nil {
		return nil, err
	}
	if in.Model != m.Name {
		known = 0
	}
	out := &wire.MemoryMeaning{Model: m.Name, Known: known, Notes: all}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.since.IsZero() {
		out.Since = k.since.UTC()
		out.Why, _ = k.why.Words()
	}
	return out, nil
}
