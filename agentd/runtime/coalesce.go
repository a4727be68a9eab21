package runtime

import (
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/redact"
)

// perDelta is how long pieces of text are gathered: the first one leaves at once, the others at most this often.
const perDelta = 20 * time.Millisecond

// coalescer joins pieces of text that arrive faster than anyone reads, and redacts across their borders: the word that is
// being written waits for its end.
type coalescer struct {
	mu    sync.Mutex
	clean *redact.Stream
	out   func(string)
	held  strings.Builder
	timer *time.Timer // nil while nothing left lately
	ended bool
}

func (c *coalescer) add(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.WriteString(s)
	if c.timer == nil && !c.ended && c.send() {
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
	c.show(c.clean.Flush())
}

// send says whether anything could leave.
func (c *coalescer) send() bool {
	text := c.held.String()
	c.held.Reset()
	return c.show(c.clean.Write(text))
}

func (c *coalescer) show(text string) bool {
	if text != "" {
		c.out(text)
	}
	return text != ""
}
