package vault

import (
	"sync"
	"time"
)

// patience tells how long services have been given that left open whether they took a value. It goes by the clock of
// this process, which nobody can set: by the time of day, a clock that moves would end a rotation whose value may still
// be taken. A process that starts anew waits anew.
type patience struct {
	clock func() time.Duration

	mu   sync.Mutex
	seen map[string]firstSeen // by name
}

// firstSeen is when a version was first seen to be staged, by the clock.
type firstSeen struct {
	version int
	at      time.Duration
}

func newPatience() *patience {
	start := time.Now()
	return &patience{clock: func() time.Duration { return time.Since(start) }, seen: map[string]firstSeen{}}
}

// had is how long ago this process first asked about a staged version.
func (p *patience) had(name string, version int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	if p.seen[name].version != version {
		p.seen[name] = firstSeen{version, now}
	}
	return now - p.seen[name].at
}
