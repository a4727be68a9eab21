package relay

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A server whose link stands may still be silent: its network broke without a word, or its process hangs. The first who asks
// waits in full; for a while after that, everybody else waits only briefly, so that a customer does not wait anew on each page.
const (
	silentAfter = 2 * time.Second        // a wait in vain of this length counts
	silentFor   = 10 * time.Second       // how long it is remembered
	silentWait  = 600 * time.Millisecond // how long others wait meanwhile: time enough for a far server that answers
)

// silences remembers which servers did not answer a moment ago. The zero value knows none; many may use it at once.
type silences struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// bound shortens the wait for a server that is silent.
func (s *silences) bound(ctx context.Context, serverID string, now time.Time) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	at, silent := s.since[serverID]
	s.mu.Unlock()
	if !silent || now.Sub(at) >= silentFor {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, silentWait)
}

// learn takes over how a question ended that was asked at one time and is over now.
func (s *silences) learn(serverID string, asked, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled): // whoever asked has left
	case !errors.Is(err, context.DeadlineExceeded):
		delete(s.since, serverID) // it answered, or has no link: asking costs no time
	case now.Sub(asked) >= silentAfter:
		if s.since == nil {
			s.since = map[string]time.Time{}
		}
		s.since[serverID] = now
	}
}
