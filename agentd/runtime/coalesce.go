package runtime

import (
	"strings"
	"sync"
	"time"
)

// perDelta is how long pieces of text are gathered: the first one leaves at once, the others at most this often.
const perDelta = 20 * time.Millisecond

// coalescer joins pieces of text that arrive faster than anyone reads.
type coalescer struct {
	mu    sync.Mutex
	out   func(string)
	held  strings.Builder
	timer *time.Timer // nil while nothing left lately
	ended bool
}

func (c *coalescer) add(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.WriteString(s)
	if c.timer == nil && !c.ended {
		c.send()
		c.timer = time.AfterFunc(perDelta, c.tick)
	}
}

func (c *coalescer) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
	case c.held.Len() == 0:
		c.timer = nil
	default:
		c.send()
		c.timer.Reset(perDelta)
	}
}

// end sends what is held. Nothing leaves afterwards.
func (c *coalescer) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
	c.send()
}

func (c *coalescer) send() {
	if c.held.Len() > 0 {
		c.out(c.held.String())
		c.held.Reset()
	}
}
