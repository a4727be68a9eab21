package channel

import (
	"errors"
	"sync"
	"time"
)

// Quiet is how long a provider wants no messages. The zero value is for not at all.
type Quiet struct {
	mu    sync.Mutex
	until time.Time
}

// Noted keeps what the provider asks to wait, if a refusal says so (*Later), and gives the refusal.
func (q *Quiet) Noted(no error, now time.Time) error {
	var later *Later
	if errors.As(no, &later) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.until = now.Add(later.After)
	}
	return no
}

// For is how long that is yet; not positive: it is over.
func (q *Quiet) For(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.until.Sub(now)
}
