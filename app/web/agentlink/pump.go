package agentlink

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
)

// batch is how many frames are read from the outbox at once.
const batch = 32

// look is how often the outbox is looked into although nobody said that something waits: a nudge may be lost.
const look = 30 * time.Second

// pump sends what waits for the server, in order, and then what comes. No more than a window goes out without being
// acknowledged.
func (c *conn) pump(ctx context.Context) error {
	sent := c.acked.Load()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		n, err := c.some(ctx, &sent)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			c.h.d.Log.ErrorContext(ctx, "outbox not read", "server_id", c.peer.ID, "error", err)
			if err := pause(ctx, time.Second); err != nil {
				return err
			}
			continue
		case n > 0:
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.wake:
		case <-c.moved:
		case <-tick.C:
		}
	}
}

// some sends a batch of frames above sent and says how many there were.
func (c *conn) some(ctx context.Context, sent *int64) (int, error) {
	room := min(window-int(*sent-c.acked.Load()), batch)
	if room <= 0 {
		return 0, nil
	}
	frames, err := c.h.d.Links.Frames(ctx, c.peer.ID, *sent, room)
	if err != nil {
		return 0, err
	}
	for _, f := range frames {
		f.Ack = c.done.Load()
		msgs, err := wire.Encode(f)
		if err != nil {
			return 0, err
		}
		if err := c.put(ctx, msgs); err != nil {
			return 0, err
		}
		*sent = f.Seq
	}
	return len(frames), nil
}
