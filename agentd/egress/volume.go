package egress

import (
	"sync"
	"time"
)

// Limits say how much may go out in one span before it is unusual. A new server sends little; from its past an owner
// sets more.
type Limits struct {
	Span         time.Duration
	PerRecipient int // messages to one recipient
	Overall      int // messages to everyone
	Recipients   int // different recipients
}

// Usual are the limits of a small business.
var Usual = Limits{Span: time.Hour, PerRecipient: 20, Overall: 200, Recipients: 60}

// Counter counts what went out. It is safe for use by many goroutines.
type Counter struct {
	limits Limits
	now    func() time.Time

	mu   sync.Mutex
	sent []departure // oldest first, none older than a span
}

type departure struct {
	at time.Time
	to string
}

// NewCounter counts by the clock now.
func NewCounter(l Limits, now func() time.Time) *Counter { return &Counter{limits: l, now: now} }

// Note records one message that did go out.
func (c *Counter) Note(recipient string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	c.sent = append(c.sent, departure{c.now(), canonical(recipient)})
}

// Unusual says whether one more message to recipient would be more than the limits.
func (c *Counter) Unusual(recipient string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	to := canonical(recipient)
	same, different := 1, map[string]bool{to: true}
	for _, d := range c.sent {
		same += b2i(d.to == to)
		different[d.to] = true
	}
	return same > c.limits.PerRecipient || len(c.sent)+1 > c.limits.Overall || len(different) > c.limits.Recipients
}

// forget drops what left longer ago than a span. A clock that went back forgets nothing.
func (c *Counter) forget() {
	n := 0
	for n < len(c.sent) && c.now().Sub(c.sent[n].at) >= c.limits.Span {
		n++
	}
	c.sent = c.sent[n:]
}
