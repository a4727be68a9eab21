package relay

import (
	"context"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
)

// buffered is how many notices wait for a reader before the reader is dropped.
const buffered = 512

// Subscription is one reader of notices. C is closed when the reader is done, was too slow, or the relay closed.
type Subscription struct {
	C <-chan Notice

	mu   sync.Mutex
	c    chan Notice
	subs []*nats.Subscription
	done bool
	lost bool
}

// Subscribe reads the notices of one customer until ctx ends. When it returns, no later notice is missed.
func (r *Relay) Subscribe(ctx context.Context, customerID string) (*Subscription, error) {
	if !plain(customerID) {
		return nil, fmt.Errorf("subscribe: customer id %q", customerID)
	}
	return r.subscribe(ctx, allSubject(customerID))
}

// SubscribeRun is Subscribe without the events of other runs. A notice of another kind may overtake an event.
func (r *Relay) SubscribeRun(ctx context.Context, customerID, runID string) (*Subscription, error) {
	if !plain(customerID) || !plain(runID) {
		return nil, fmt.Errorf("subscribe: customer id %q, run id %q", customerID, runID)
	}
	return r.subscribe(ctx, runSubject(customerID, runID), newsSubject(customerID))
}

// SubscribeAll reads the notices of all customers but for the events of runs, for staff, until ctx ends.
func (r *Relay) SubscribeAll(ctx context.Context) (*Subscription, error) {
	return r.subscribe(ctx, newsSubject("*"))
}

func (r *Relay) subscribe(ctx context.Context, subjects ...string) (*Subscription, error) {
	c := make(chan Notice, buffered)
	s := &Subscription{C: c, c: c}
	for _, subject := range subjects {
		if err := s.open(r.nc, subject); err != nil {
			s.Close()
			return nil, fmt.Errorf("subscribe: %w", err)
		}
	}
	if err := r.flush(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	context.AfterFunc(ctx, s.Close)
	return s, nil
}

func (s *Subscription) open(nc *nats.Conn, subject string) error {
	sub, err := nc.Subscribe(subject, s.receive)
	if err != nil {
		return err
	}
	sub.SetClosedHandler(func(string) { s.Close() }) // the relay was closed
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs = append(s.subs, sub)
	return nil
}

// receive hands a notice on without ever waiting: a reader that is full is dropped.
func (s *Subscription) receive(m *nats.Msg) {
	n, err := unpack(m.Data)
	if err != nil {
		return // not from a hub of ours
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	select {
	case s.c <- n:
	default:
		s.lost = true
		s.end()
	}
}

// Lost says, after C was closed, whether notices were lost because the reader was too slow: fetch the state anew and
// subscribe again.
func (s *Subscription) Lost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

func (s *Subscription) end() {
	if s.done {
		return
	}
	s.done = true
	close(s.c)
	for _, sub := range s.subs {
		_ = sub.Unsubscribe() // fails only when the connection is gone, and the subscription with it
	}
}
