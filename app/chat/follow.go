package chat

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// follower is one stream at work.
type follower struct {
	s      *Service
	of     account.CustomerID
	server string
	run    string
	last   int64 // number of the last event handed out
	told   bool  // the reader knows that the server is away
	out    chan wire.RunEvent
	sub    *relay.Subscription
	first  *wire.EventsResult // read by start
}

// errEnd says that the last event was handed out.
var errEnd = errors.New("end of run")

// start subscribes, and then reads what there is: in this order nothing falls between. A run that does not exist is
// found out here, before anything is answered.
func (f *follower) start(ctx context.Context) (err error) {
	if f.sub, err = f.s.Live.SubscribeRun(ctx, string(f.of), f.run); err != nil {
		return err
	}
	res, err := f.ask(ctx)
	if err != nil && !isAway(err) {
		f.sub.Close()
		return err
	}
	if err == nil {
		f.first = &res
	}
	return nil
}

// ask reads what follows the last event.
func (f *follower) ask(ctx context.Context) (wire.EventsResult, error) {
	return askOfRun[wire.EventsResult](ctx, f.s, server.ID(f.server), question{wire.MethodRunEvents, wire.EventsParams{RunID: f.run, From: f.last}, askWait})
}

// follow hands out events until the run or the reader ends.
func (f *follower) follow(ctx context.Context) error {
	defer func() { f.sub.Close() }()
	err := f.begin(ctx)
	for err == nil {
		err = f.live(ctx)
	}
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}

func (f *follower) begin(ctx context.Context) error {
	if f.first == nil {
		return f.heal(ctx)
	}
	res := f.first
	f.first = nil
	return f.take(ctx, *res)
}

// live hands on notices until one is missing, and then heals. A subscription that was dropped is made anew.
func (f *follower) live(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case n, ok := <-f.sub.C:
		switch {
		case !ok:
			if err := f.resubscribe(ctx); err != nil {
				return err
			}
			return f.heal(ctx)
		case n.Kind == relay.KindServer:
			return f.heal(ctx) // the link may have come back, and with it what was missed
		case n.Kind != relay.KindRun || n.Run == nil || n.Run.Root != f.run || n.Run.N <= f.last:
			return nil
		case n.Run.N > f.last+1:
			return f.heal(ctx)
		}
		return f.emit(ctx, *n.Run)
	}
}

// resubscribe makes a subscription anew that was dropped because the reader was too slow.
func (f *follower) resubscribe(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !f.sub.Lost() {
		return fmt.Errorf("%w: the live traffic of the hub ended", relay.ErrAway)
	}
	sub, err := f.s.Live.SubscribeRun(ctx, string(f.of), f.run)
	if err != nil {
		return err
	}
	f.sub = sub
	return nil
}
