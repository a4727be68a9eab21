package proxy

import (
	"context"
	"net/http"
	"strings"
	"time"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
)

// begin puts a call on record when it is sent: what cannot be metered is not asked for. What costs nothing has no record.
func (p *Proxy) begin(ctx context.Context, c *call, to profile.Candidate) (*meter.Started, *failed) {
	if c.free {
		return nil, nil
	}
	s, err := p.book.Begin(ctx, meter.Call{
		Agent: c.agent, Parent: c.parent, Model: to.Model, Profile: to.Profile.Name,
		Key: p.paidBy(to), Sent: c.size(),
	})
	if err != nil {
		p.opt.Log.ErrorContext(ctx, "call not put on record", "agent", c.agent, "model", to.Model, "error", err)
		return nil, &failed{refusal: refusal{
			status: http.StatusServiceUnavailable, kind: "api_error", code: "not_metered",
			says: "The model proxy cannot put on record what the request uses, so it was not sent.",
		}}
	}
	return s, nil
}

// drop takes a call off the record that was not answered, behind the caller's back.
func (p *Proxy) drop(s *meter.Started) {
	if s == nil {
		return
	}
	p.doing.beside(func() {
		if err := p.book.Drop(context.Background(), s); err != nil {
			p.opt.Log.Error("call not taken off the record", "agent", s.Agent, "model", s.Model, "error", err)
		}
	})
}

// An answer is noted for the first time after a moment, so that short ones cost no write, and then now and again.
const (
	firstNote = 250 * time.Millisecond
	nextNote  = time.Second
)

// noting is called with each piece of an answer, and notes now and again how much has passed.
func (p *Proxy) noting(s *meter.Started, tap *meter.Tap) func() {
	due := p.opt.Now().Add(firstNote)
	return func() {
		if s == nil || p.opt.Now().Before(due) {
			return
		}
		due = p.opt.Now().Add(nextNote)
		got := tap.Got()
		p.doing.beside(func() {
			if err := p.book.Seen(context.Background(), s, got); err != nil {
				p.opt.Log.Error("answer not noted", "agent", s.Agent, "model", s.Model, "error", err)
			}
		})
	}
}

// settle adds what an answer used, once the caller has it.
func (p *Proxy) settle(c *call, a *answered, tap *meter.Tap) {
	s := a.call
	if s == nil {
		return
	}
	p.doing.beside(func() {
		u := tap.Used(c.text)
		a.hold.Settle(budget.Use{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
		if err := p.book.Settle(context.Background(), s, u); err != nil {
			p.opt.Log.Error("usage not kept", "agent", s.Agent, "model", s.Model, "error", err)
		}
	})
}

// text is what the request says to the model, for an estimate.
func (c *call) text() string {
	var b strings.Builder
	eachText(c.root, func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	})
	return b.String()
}

// size is how long that is, in bytes.
func (c *call) size() (n int64) {
	eachText(c.root, func(s string) { n += int64(len(s)) + 1 })
	return n
}

// eachText visits the strings of a request, except files within it: those are counted by their sight, not by their letters.
func eachText(v *jsontree.Value, visit func(string)) {
	switch v.Kind {
	case jsontree.String:
		if !strings.HasPrefix(v.Text, "data:") {
			visit(v.Text)
		}
	case jsontree.Array:
		for _, item := range v.Items {
			eachText(item, visit)
		}
	case jsontree.Object:
		for _, m := range v.Members {
			if m.Key != "data" {
				eachText(m.Value, visit)
			}
		}
	default: // numbers and words of JSON say next to nothing
	}
}
