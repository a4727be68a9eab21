package link

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"gatehouse/agentd/wire"
)

// batch is how many frames are read from the outbox at once.
const batch = 32

// pump sends what is in the outbox, in order, and then what comes in. No more than a window goes out without being
// acknowledged.
func (s *session) pump(ctx context.Context) error {
	sent := s.acked.Load()
	for {
		n, err := s.some(ctx, &sent)
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.c.o.Outbox.wake:
		case <-s.moved:
		}
	}
}

// some sends a batch of frames above sent and says how many there were.
func (s *session) some(ctx context.Context, sent *int64) (int, error) {
	room := min(window-int(*sent-s.acked.Load()), batch)
	if room <= 0 {
		return 0, nil
	}
	frames, err := s.c.o.Outbox.after(ctx, *sent, room)
	if err != nil {
		return 0, err
	}
	for _, f := range frames {
		f.Ack = s.done.Load()
		msgs, err := wire.Encode(f)
		if err != nil {
			return 0, err
		}
		if err := enqueue(ctx, s.out, msgs); err != nil {
			return 0, err
		}
		*sent = f.Seq
	}
	return len(frames), nil
}

// trimEvery is how often what was acknowledged is taken out of the outbox: each time is one durable write.
const trimEvery = 200 * time.Millisecond

// trim forgets what the hub has applied. When it cannot, nothing is lost: the hub drops what comes twice.
func (s *session) trim(ctx context.Context) error {
	trimmed := s.acked.Load()
	for pause(ctx, trimEvery) == nil {
		upTo := s.acked.Load()
		if upTo <= trimmed {
			continue
		}
		if err := s.c.o.Outbox.drop(ctx, upTo); err != nil && ctx.Err() == nil {
			s.c.o.Log.WarnContext(ctx, "outbox not trimmed", "error", err)
			continue
		}
		trimmed = upTo
	}
	return ctx.Err()
}

// pingLost is how many pings may go unanswered.
const pingLost = 3

// ping finds out that the other end is gone although the connection says nothing.
func (s *session) ping(ctx context.Context) error {
	var lost atomic.Int32
	for pause(ctx, s.c.o.PingEvery) == nil {
		if lost.Load() >= pingLost {
			return fmt.Errorf("the hub has not answered %d pings", pingLost)
		}
		lost.Add(1)
		s.aside(func() {
			ctx, cancel := context.WithTimeout(ctx, pingLost*s.c.o.PingEvery)
			defer cancel()
			if s.conn.Ping(ctx) == nil {
				lost.Store(0)
			}
		})
	}
	return ctx.Err()
}

// beat sends a heartbeat at once and then regularly.
func (s *session) beat(ctx context.Context) error {
	for {
		if err := s.offer(wire.TypeHeartbeat, s.c.o.Heartbeat(ctx)); err != nil {
			s.c.o.Log.DebugContext(ctx, "heartbeat dropped", "error", err)
		}
		if err := pause(ctx, s.c.o.BeatEvery); err != nil {
			return err
		}
	}
}
