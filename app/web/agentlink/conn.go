package agentlink

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
)

// Bounds of the queues of one connection.
const (
	queueOut = 256 // frames that wait to be written
	queueIn  = 64  // reliable frames that wait to be applied; agentd sends no more without being acknowledged
	window   = 64  // reliable frames sent and not acknowledged
)

// conn is one open link. It is the relay.Peer of its server.
type conn struct {
	h     *Handler
	ws    *websocket.Conn
	quiet *watchdog
	peer  peer
	epoch int64

	attached chan struct{} // closed: detach is final
	detach   func()

	out    chan [][]byte // messages of one frame each
	in     chan wire.Frame
	beats  chan wire.Heartbeat // holds the newest
	ackDue chan struct{}
	wake   chan struct{} // frames wait in the outbox
	moved  chan struct{} // the server has acknowledged more
	trim   chan struct{} // likewise, for the outbox
	done   atomic.Int64  // number of the server's last frame that was applied
	acked  atomic.Int64  // number of our last frame that the server has applied
	asked  questions

	ended sync.Once
	why   error // why we ended it
}

func newConn(h *Handler, ws *websocket.Conn, quiet *watchdog, p peer, epoch, acked int64) *conn {
	c := &conn{
		h: h, ws: ws, quiet: quiet, peer: p, epoch: epoch, attached: make(chan struct{}), detach: func() {},
		out: make(chan [][]byte, queueOut), in: make(chan wire.Frame, queueIn), beats: make(chan wire.Heartbeat, 1),
		ackDue: make(chan struct{}, 1), wake: make(chan struct{}, 1), moved: make(chan struct{}, 1), trim: make(chan struct{}, 1),
	}
	c.acked.Store(acked)
	return c
}

// attach makes the connection the one that questions to its server reach. It may have to give way before this returns.
func (c *conn) attach(ctx context.Context) error {
	defer close(c.attached)
	detach, err := c.h.d.Relay.Attach(ctx, string(c.peer.ID), c.epoch, c)
	if err == nil {
		c.detach = detach
	}
	return err
}

// run works until the connection ends, leaves nothing running behind, and says why it ended.
func (c *conn) run(ctx context.Context) error {
	defer c.detach()
	defer c.asked.giveUp()
	c.quiet.arm(func() { c.end(errSilent) })
	defer c.quiet.stop()
	g, ctx := errgroup.WithContext(ctx)
	for _, work := range []func(context.Context) error{c.read, c.write, c.applyAll, c.pump, c.keep, c.compare} {
		g.Go(func() error {
			err := work(ctx)
			if err != nil && ctx.Err() == nil {
				c.end(err)
			}
			return err
		})
	}
	err := g.Wait()
	c.ended.Do(func() {}) // from here on why is final
	if c.why != nil {
		return c.why
	}
	return err
}

// end closes the connection with a reason. The first one counts.
func (c *conn) end(err error) {
	c.ended.Do(func() {
		c.why = err
		bye(c.ws, err)
	})
}

// Nudge says that frames wait in the outbox.
func (c *conn) Nudge() { signal(c.wake) }

// write is the only writer of the connection.
func (c *conn) write(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case msgs := <-c.out:
			for _, m := range msgs {
				if err := c.message(ctx, m); err != nil {
					return err
				}
			}
		case <-c.ackDue:
			msgs, err := wire.Encode(wire.Frame{V: wire.Version, Type: wire.TypeAck, Time: c.h.d.Now().UTC(), Ack: c.done.Load()})
			if err != nil {
				return err
			}
			if err := c.message(ctx, msgs[0]); err != nil {
				return err
			}
		}
	}
}

func (c *conn) message(ctx context.Context, m []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.h.d.Limits.Write)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, m); err != nil {
		return fmt.Errorf("write to server: %w", err)
	}
	return nil
}

// put queues messages and waits for room.
func (c *conn) put(ctx context.Context, msgs [][]byte) error {
	select {
	case c.out <- msgs:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// signal leaves one in s.
func signal(s chan struct{}) {
	select {
	case s <- struct{}{}:
	default:
	}
}

// pause waits; it ends early with ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
