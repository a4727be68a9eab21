package limit

import (
	"sync"
	"time"

	"gatehouse/agentd/policy"
)

// Rates holds the token buckets of agents with their tools.
type Rates struct {
	mu      sync.Mutex
	buckets map[string]bucket
}

// bucket belongs to one version of the rules. Other rules fill theirs from the records.
type bucket struct {
	*policy.Bucket
	version int64
}

// NewRates makes rates without a bucket.
func NewRates() *Rates { return &Rates{buckets: map[string]bucket{}} }

// Bound is how often a call may be made. A zero field does not bound.
type Bound struct {
	Rate     policy.Rate
	Cooldown time.Duration // between two calls
}

// BoundOf is the bound of a rule.
func BoundOf(l policy.RuleLimits) Bound { return Bound{l.Rate, time.Duration(l.Cooldown)} }

// IsZero reports whether b bounds nothing.
func (b Bound) IsZero() bool { return b.Rate.IsZero() && b.Cooldown == 0 }

// Wait is how long a call has to wait after past calls, oldest first; 0: not at all.
func (b Bound) Wait(past []time.Time, now time.Time) time.Duration {
	return b.wait(refill(b.Rate, past, now), now)
}

// wait is how long until a bucket has a token and the cooldown since its last call is over.
func (b Bound) wait(in *policy.Bucket, now time.Time) (wait time.Duration) {
	if !b.Rate.IsZero() {
		wait = in.Wait(now)
	}
	if since, ok := in.Since(now); ok && since < b.Cooldown {
		wait = max(wait, b.Cooldown-since)
	}
	return wait
}

// Has reports whether a bucket of this version of the rules, or of a newer one, is there: then Take needs no past calls.
func (r *Rates) Has(key string, version int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.buckets[key]
	return ok && one.version >= version
}

// Take takes a call out of the bucket of key, or says how long to wait. A bucket that is not there is made as past calls,
// oldest first, leave it, so a restart fills none. A call under older rules than the bucket's takes nothing: it is held to
// the newer ones when it is decided.
func (r *Rates) Take(key string, version int64, b Bound, past []time.Time, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.buckets[key]
	if ok && one.version > version {
		return 0
	}
	if !ok || one.version < version {
		one = bucket{refill(b.Rate, past, now), version}
		r.buckets[key] = one
	}
	wait := b.wait(one.Bucket, now)
	if wait == 0 {
		one.Take(now)
	}
	return wait
}

// refill makes a bucket as past calls leave it.
func refill(r policy.Rate, past []time.Time, now time.Time) *policy.Bucket {
	start := now
	if len(past) > 0 && past[0].Before(now) {
		start = past[0]
	}
	b := policy.NewBucket(r, start)
	for _, at := range past {
		b.Take(at)
	}
	return b
}
