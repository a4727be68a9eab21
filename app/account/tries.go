package account

import (
	"crypto/sha256"
	"sync"
	"time"

	"gatehouse/app/tune"
)

// Tries counts how often something was tried for one account, so that guessing is slow whatever address it comes from.
// It is kept in memory: each hub counts for itself.
type Tries struct {
	Most tune.Value[int] // tries in a window, where our staff have set that; never more than it comes

	max    int
	window time.Duration
	now    func() time.Time

	mu    sync.Mutex
	seen  map[[sha256.Size]byte]bucket // by the hash: what strangers send may be long
	swept time.Time
}

type bucket struct {
	count int
	since time.Time
}

// NewTries allows max tries of each account in each window.
func NewTries(limit int, window time.Duration, now func() time.Time) *Tries {
	return &Tries{max: limit, window: window, now: now, seen: map[[sha256.Size]byte]bucket{}}
}

// Take counts a try of what for who and says whether it may go on.
func (t *Tries) Take(what, who string) bool {
	most := min(t.max, t.Most.Or(t.max)) // which may ask the database: before the lock that all wait for
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.sweep(now)
	key := sha256.Sum256([]byte(what + "\x00" + who))
	b := t.seen[key]
	if now.Sub(b.since) >= t.window {
		b = bucket{since: now}
	}
	b.count++
	t.seen[key] = b
	return b.count <= most
}

// sweep forgets windows that are over, once a window, so that the map stays as small as the traffic.
func (t *Tries) sweep(now time.Time) {
	if now.Sub(t.swept) < t.window {
		return
	}
	t.swept = now
	for key, b := range t.seen {
		if now.Sub(b.since) >= t.window {
			delete(t.seen, key)
		}
	}
}
