package hook

import (
	"sync"
	"time"
)

// buckets hold, for each hook, how many deliveries it may take now: as many as in a minute at once, and then one after the other.
// They live in memory.
type buckets struct {
	mu sync.Mutex
	of map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// take takes one, or says how long it takes until there is one again.
func (b *buckets) take(hook string, perMinute int, now time.Time) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	most, perSecond := float64(perMinute), float64(perMinute)/60
	e := b.of[hook]
	if e == nil {
		e = &bucket{left: most, at: now}
		b.of[hook] = e
	}
	if past := now.Sub(e.at).Seconds(); past > 0 { // the clock may have been set back
		e.left += past * perSecond
	}
	e.left, e.at = min(e.left, most), now
	if e.left < 1 {
		return time.Duration((1 - e.left) / perSecond * float64(time.Second))
	}
	e.left--
	return 0
}
