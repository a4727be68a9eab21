package link

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
)

// Bounds of the queues of one connection.
const (
	queueOut = 1024 // frames that wait to be written: a hundred runs may stream at once
	queueIn  = 64   // reliable frames that wait to be applied; the hub sends no more without being acknowledged
	window   = 64   // reliable frames sent and not acknowledged
)

// errFull says that more is sent than the connection takes.
var errFull = errors.New("queue of the link is full")

// session is one open connection.
type session struct {
	c      *Client
	conn   *websocket.Conn
	line   *corked // below conn
	group  *errgroup.Group
	offset time.Duration // the hub's clock minus ours
	out    chan [][]byte // messages of one frame each
	quick  chan [][]byte // answers given while reading: room for one to each question that may be open
	slow   chan [][]byte // answers that took work: each waits with its place in asking until it is taken
	in     chan wire.Frame
	asking chan struct{} // holds one for each question worked on
	ackDue chan struct{}
	moved  chan struct{} // the hub has acknowledged more
	done   atomic.Int64  // number of the last frame of the hub that was applied
	acked  atomic.Int64  // number of our last frame that the hub has applied
}

func newSession(c *Client, conn *websocket.Conn, line *corked, w wire.Welcome) *session {
	s := &session{
		c: c, conn: conn, line: line, offset: w.Time.Sub(c.o.Now()), out: make(chan [][]byte, queueOut), in: make(chan wire.Frame, queueIn),
		quick: make(chan [][]byte, wire.MaxAsked), slow: make(chan [][]byte),
		asking: make(chan struct{}, c.o.MaxAsking), ackDue: make(chan struct{}, 1), moved: make(chan struct{}, 1),
	}
	s.acked.Store(w.LastSeq)
	return s
}

// run works until the connection or ctx ends, and leaves nothing running behind.
func (s *session) run(ctx context.Context) error {
	s.group, ctx = errgroup.WithContext(ctx)
	s.c.current.Store(s)
	defer s.c.current.Store(nil)
	s.c.o.Log.InfoContext(ctx, "link is up", "server_id", s.c.o.Identity.ServerID)
	for _, work := range []func(context.Context) error{s.read, s.write, s.applyAll, s.pump, s.trim, s.ping, s.beat} {
		s.group.Go(func() error { return work(ctx) })
	}
	return s.group.Wait()
}

// aside runs fn beside the rest of the session, and no longer than it. Only workers of the session call it.
func (s *session) aside(fn func()) {
	s.group.Go(func() error {
		fn()
		return nil
	})
}

// offer queues an ephemeral frame without waiting.
func (s *session) offer(t wire.Type, body any) error {
	msgs, err := encode(wire.Frame{V: wire.Version, Type: t, Time: s.c.o.Now().UTC()}, body)
	if err != nil {
		return err
	}
	select {
	case s.out <- msgs:
		return nil
	default:
		return errFull
	}
}

// enqueue leaves messages in a queue and waits for room.
func enqueue(ctx context.Context, queue chan<- [][]byte, msgs [][]byte) error {
	select {
	case queue <- msgs:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is the only writer of the connection. Messages that wait together go out together.
func (s *session) write(ctx context.Context) error {
	for held := false; ; {
		msgs, err := s.next(ctx)
		if err != nil {
			return err
		}
		if !held && s.waits() {
			held = true
			s.line.hold()
		}
		for _, m := range msgs {
			if err := s.message(ctx, m); err != nil {
				return err
			}
		}
		if !held || s.waits() {
			continue
		}
		held = false
		if err := s.release(ctx); err != nil {
			return err
		}
	}
}

// release sends what was held back.
func (s *session) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.c.o.WriteLimit)
	defer cancel()
	if err := s.line.release(ctx); err != nil {
		return fmt.Errorf("write to hub: %w", err)
	}
	return nil
}

// waits says whether next would answer at once.
func (s *session) waits() bool { return len(s.out) > 0 || len(s.quick) > 0 || len(s.ackDue) > 0 }

// next is what is written next. What waits in several places is taken in turn by chance: no stream holds up an answer for
// long, and no flood of questions the streams.
func (s *session) next(ctx context.Context) ([][]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case msgs := <-s.out:
		return msgs, nil
	case msgs := <-s.quick:
		return msgs, nil
	case msgs := <-s.slow:
		return msgs, nil
	case <-s.ackDue:
		return wire.Encode(wire.Frame{V: wire.Version, Type: wire.TypeAck, Time: s.c.o.Now().UTC(), Ack: s.done.Load()})
	}
}

func (s *session) message(ctx context.Context, m []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.c.o.WriteLimit)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, m); err != nil {
		return fmt.Errorf("write to hub: %w", err)
	}
	return nil
}

// signal leaves one in c.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
