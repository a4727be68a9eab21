package year

import (
	"context"
	"sync"
	"time"
)

// clock is set by the year. Each look at it is a microsecond after the one before, so that nothing happens at the same time.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	left int
	kill context.CancelFunc
}

// Now is the time. A hub that is to be killed is killed at one of its looks at the clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Microsecond)
	if c.kill != nil {
		if c.left--; c.left <= 0 {
			c.kill()
			c.kill = nil
		}
	}
	return c.at
}

// set moves the clock, never back.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
}

// doom has the hub whose context kill ends die after so many looks; nil: none does.
func (c *clock) doom(looks int, kill context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.kill = looks, kill
}
