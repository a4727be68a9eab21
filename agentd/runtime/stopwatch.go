package runtime

import (
	"sync"
	"time"
)

// stopwatch counts the time that a run is at work, and calls expired when it has used up its share. It uses the process's own
// clock, because it measures effort, not the time of day.
type stopwatch struct {
	mu      sync.Mutex
	left    time.Duration
	used    time.Duration
	since   time.Time // zero while it stands
	timer   *time.Timer
	expired func()
}

func newStopwatch(share, used time.Duration, expired func()) *stopwatch {
	return &stopwatch{left: share - used, used: used, expired: expired}
}

func (s *stopwatch) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = time.Now()
		s.timer = time.AfterFunc(s.left, s.expired)
	}
}

func (s *stopwatch) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return
	}
	s.timer.Stop()
	d := time.Since(s.since)
	s.left, s.used, s.since = s.left-d, s.used+d, time.Time{}
}

// active is the time at work so far.
func (s *stopwatch) active() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return s.used
	}
	return s.used + time.Since(s.since)
}
