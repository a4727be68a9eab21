package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// retryAway is how often a server that does not answer is asked again, besides whenever it reports back.
const retryAway = 2 * time.Second

// heal asks the server for what follows the last event, until it answers.
func (f *follower) heal(ctx context.Context) error {
	for {
		res, err := f.ask(ctx)
		if err == nil {
			return f.take(ctx, res)
		}
		if ctx.Err() != nil || !isAway(err) {
			return err
		}
		if err := f.wait(ctx); err != nil {
			return err
		}
	}
}

// wait tells the reader once that the server is away, and waits for a sign of it. Notices are not kept: what they
// said is asked for.
func (f *follower) wait(ctx context.Context) error {
	if err := f.tellAway(ctx); err != nil {
		return err
	}
	timer := time.NewTimer(retryAway)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case n, ok := <-f.sub.C:
			if !ok {
				return f.resubscribe(ctx)
			}
			if n.Kind == relay.KindServer || n.Kind == relay.KindRun && n.Run != nil && n.Run.Root == f.run {
				return nil
			}
		}
	}
}

// tellAway gives the reader one event queued, which carries the number it has: nothing was handed out.
func (f *follower) tellAway(ctx context.Context) error {
	if f.told {
		return nil
	}
	f.told = true
	data, err := json.Marshal(wire.QueuedData{N: f.last, RunID: f.run, Why: "server away"})
	if err != nil {
		return fmt.Errorf("queued: %w", err)
	}
	return f.hand(ctx, wire.RunEvent{Root: f.run, N: f.last, Event: wire.EventQueued, Data: data})
}

// take hands out what the server answered. Holes in it are none: the answer is the truth.
func (f *follower) take(ctx context.Context, res wire.EventsResult) error {
	f.told = false
	for _, ev := range res.Items {
		if ev.N <= f.last {
			continue
		}
		if err := f.emit(ctx, ev); err != nil {
			return err
		}
	}
	f.last = max(f.last, res.Last)
	if !res.State.Open() {
		return errEnd
	}
	return nil
}

// emit hands out one event and notices the last one.
func (f *follower) emit(ctx context.Context, ev wire.RunEvent) error {
	f.awaitStored(ctx, ev)
	if err := f.hand(ctx, ev); err != nil {
		return err
	}
	f.last = ev.N
	if ev.Event == wire.EventFinal || ev.Event == wire.EventError {
		return errEnd
	}
	return nil
}

func (f *follower) hand(ctx context.Context, ev wire.RunEvent) error {
	select {
	case f.out <- ev:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
