package billing

import (
	"context"
	"sync"
	"time"

	"gatehouse/app/pricing"
)

// shelfLife is how long pages show a price that has changed.
const shelfLife = 2 * time.Second

// shelfWait is how long reading the price book may take.
const shelfWait = 2 * time.Second

// Shelf is the plans as they are sold now, for pages that everybody opens. It reads the price book at most every two seconds; while
// that cannot be read, it keeps what it read last.
type Shelf struct {
	Bills *Service

	mu   sync.Mutex
	at   time.Time
	last []pricing.Plan
}

// Plans lists the plans as they are sold now, cheapest first.
func (s *Shelf) Plans() []pricing.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Bills.now()
	if s.last != nil && now.Sub(s.at) < shelfLife {
		return s.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), shelfWait)
	defer cancel()
	plans, err := s.Bills.Plans(ctx)
	switch {
	case err == nil && len(plans) > 0:
		s.last, s.at = plans, now
	case s.last == nil:
		return pricing.Plans()
	}
	return s.last
}
