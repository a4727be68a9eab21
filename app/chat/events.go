package chat

import (
	"context"
	"fmt"
	"sync"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// readAhead is how many events wait for a reader. A reader who falls further behind holds up only itself: the live
// traffic drops it, and the rest is asked from the server.
const readAhead = 64

// Stream is the events of one run. C is closed after the last one, or when the stream's context ends.
type Stream struct {
	C <-chan wire.RunEvent

	mu  sync.Mutex
	err error
}

// Err says, after C was closed, why the stream ended early; nil after the last event and when the reader left.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Events reads the events of a root run with a number above from, first those that were and then those that come,
// without gap and without repeat. It ends with the run's final or error event, or with ctx. While the server is away
// the reader gets one event queued, whose number is from, and the stream goes on when the server is back.
func (s *Service) Events(ctx context.Context, of account.CustomerID, runID string, from int64) (*Stream, error) {
	id, err := s.Servers.ServerOf(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	f := &follower{s: s, of: of, server: string(id), run: runID, last: from, out: make(chan wire.RunEvent, readAhead)}
	if err := f.start(ctx); err != nil {
		return nil, fmt.Errorf("events of %s: %w", runID, err)
	}
	st := &Stream{C: f.out}
	go func() {
		defer close(f.out)
		if err := f.follow(ctx); err != nil && ctx.Err() == nil {
			st.mu.Lock()
			st.err = err
			st.mu.Unlock()
		}
	}()
	return st, nil
}
