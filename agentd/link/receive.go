package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// read takes messages off the connection and hands them on. It waits for nothing but room for frames to be applied and
// for quick answers, and the hub sends and asks no more than fit.
func (s *session) read(ctx context.Context) error {
	var joiner wire.Joiner
	for {
		_, raw, err := s.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("read from hub: %w", err)
		}
		f, whole, err := joiner.Decode(raw)
		if err != nil {
			return fmt.Errorf("read from hub: %w", err)
		}
		if !whole {
			continue
		}
		if err := s.take(ctx, f); err != nil {
			return err
		}
	}
}

func (s *session) take(ctx context.Context, f wire.Frame) error {
	if f.Ack > s.acked.Load() {
		s.acked.Store(f.Ack) // this goroutine alone writes it
		signal(s.moved)
	}
	switch {
	case f.Type == wire.TypeRPCRequest:
		s.asked(ctx, f)
	case f.Type.Reliable():
		select {
		case s.in <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	case f.Type != wire.TypeAck:
		s.c.o.Log.DebugContext(ctx, "frame of an unknown type ignored", "type", string(f.Type))
	}
	return nil
}

// applyAll applies reliable frames in their order and lets the hub know.
func (s *session) applyAll(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-s.in:
			seq, err := s.insist(ctx, f)
			if err != nil {
				return err
			}
			s.done.Store(seq)
			signal(s.ackDue)
		}
	}
}

// How long a frame that could not be applied waits until it is tried again.
const (
	firstAgain = 100 * time.Millisecond
	lastAgain  = 5 * time.Second
)

// insist applies one frame, however often it takes: while the disk is full, questions of people are answered over the
// same link. Only a missing frame needs a new one.
func (s *session) insist(ctx context.Context, f wire.Frame) (int64, error) {
	for wait := firstAgain; ; wait = min(2*wait, lastAgain) {
		seq, err := s.c.inbox.apply(ctx, f)
		if err == nil || ctx.Err() != nil || errors.Is(err, errGap) {
			return seq, err
		}
		s.c.o.Log.ErrorContext(ctx, "frame of the hub not applied yet", "type", string(f.Type), "error", err)
		if err := pause(ctx, wait); err != nil {
			return 0, err
		}
	}
}
