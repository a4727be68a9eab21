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
		return nil, notMetered()
	}
	return s, nil
}

func notMetered() *failed {
	return &failed{refusal: refusal{
		status: http.StatusServiceUnavailable, kind: "api_error", code: "not_metered",
		says: "The model proxy cannot put on record what the request uses, so it was not sent.",
	}}
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
		if err := p.book.Settle(context.Background(), s, u); err != nil {
			p.opt.Log.Error("usage not kept", "agent", s.Agent, "model", s.Model, "error", err)
		}
		a.hold.Settle(budget.Use{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
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
func eachText(v *jsontree.Value, visit func(string)) { eachPart(v, visit, func() {}) }

// eachPart visits the strings of a request, and the files within it: what is written as a data URL in base64, or as the data of an
// object that does not say that it is text.
func eachPart(v *jsontree.Value, text func(string), file func()) {
	switch v.Kind {
	case jsontree.String:
		if isFile(v.Text) {
			file()
			return
		}
		text(v.Text)
	case jsontree.Array:
		for _, item := range v.Items {
			eachPart(item, text, file)
		}
	case jsontree.Object:
		for _, m := range v.Members {
			if m.Key == "data" && m.Value.Kind == jsontree.String && v.Str("type") != "text" {
				file()
				continue
			}
			eachPart(m.Value, text, file)
		}
	default: // numbers and words of JSON say next to nothing
	}
}

// longestType is how long the media type of a data URL may be.
const longestType = 200

func isFile(s string) bool {
	head, _, base64 := strings.Cut(s[:min(len(s), longestType)], ";base64,")
	return base64 && strings.HasPrefix(head, "data:")
}
