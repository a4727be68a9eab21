package agentlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/time/rate"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// errForm says that a server sends what is no frame.
var errForm = errors.New("message is no frame")

// read takes messages off the connection and hands them on. A server that sends too much is read more slowly, and so
// held back by its own connection; nothing is lost.
func (c *conn) read(ctx context.Context) error {
	var joiner wire.Joiner
	l := c.h.d.Limits
	frames := rate.NewLimiter(l.Frames, int(l.Frames))
	bytes := rate.NewLimiter(l.Bytes, max(int(l.Bytes), wire.MaxFrame))
	for {
		_, raw, err := c.ws.Read(ctx)
		if err != nil {
			return fmt.Errorf("read from server: %w", err)
		}
		c.quiet.heard()
		if err := errors.Join(frames.Wait(ctx), bytes.WaitN(ctx, len(raw))); err != nil {
			return err
		}
		f, whole, err := joiner.Decode(raw)
		if err != nil {
			return fmt.Errorf("%w: %w", errForm, err)
		}
		if !whole {
			continue
		}
		if err := c.take(ctx, f); err != nil {
			return err
		}
	}
}

func (c *conn) take(ctx context.Context, f wire.Frame) error {
	if f.Ack > c.acked.Load() {
		c.acked.Store(f.Ack) // this goroutine alone writes it
		signal(c.moved)
		signal(c.trim)
	}
	switch {
	case f.Type == wire.TypeRPCReply:
		c.answered(f)
	case f.Type == wire.TypeChatDelta || f.Type == wire.TypeChatEvent:
		return c.event(ctx, f)
	case f.Type == wire.TypeHeartbeat:
		return c.beat(f)
	case f.Type.Reliable():
		select {
		case c.in <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	case f.Type != wire.TypeAck:
		c.h.d.Log.DebugContext(ctx, "frame of an unknown type ignored", "type", string(f.Type), "server_id", c.peer.ID)
	}
	return nil
}

// event hands an event of a run to the pages of the server's customer, and to no others whatever it says.
func (c *conn) event(ctx context.Context, f wire.Frame) error {
	ev, err := f.Event()
	if err != nil {
		return fmt.Errorf("%w: %w", errForm, err)
	}
	c.h.notify(ctx, relay.Notice{Kind: relay.KindRun, CustomerID: string(c.peer.CustomerID), ID: ev.Root, Run: &ev})
	return nil
}

// beat leaves the newest heartbeat for keep: reading does not wait for the database.
func (c *conn) beat(f wire.Frame) error {
	var b wire.Heartbeat
	if err := json.Unmarshal(f.Body, &b); err != nil {
		return fmt.Errorf("%w: %w", errForm, err)
	}
	select {
	case <-c.beats: // an older one that nobody has stored
	default:
	}
	c.beats <- b // this goroutine alone fills it
	return nil
}
