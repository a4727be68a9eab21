package proxy

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/llm/slate"
)

// begin puts a call on record before it is sent: what cannot be metered is not asked for. What costs nothing has no record.
func (p *Proxy) begin(ctx context.Context, c *call, to profile.Candidate, hold *budget.Hold) (*meter.Started, *failed) {
	if c.free {
		return nil, nil
	}
	most := hold.Most()
	s, err := p.book.Begin(ctx, meter.Call{
		Agent: c.agent, Parent: c.parent, Run: c.run, Model: to.Model, Profile: to.Profile.Name,
		Key: p.paidBy(to), Sent: c.size(), Most: slate.Tokens{Input: most.Input, Output: most.Output},
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

// leaving notes that a request leaves before its first byte does: from then on its text counts, whatever comes of it.
func (p *Proxy) leaving(req *http.Request, s *meter.Started) *http.Request {
	if s == nil {
		return req
	}
	return req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { p.noted(s, s.Left()) },
	}))
}

// unanswered ends the record of a call that has no answer. What the provider refused used nothing; what it was sent, and what was
// then waited for no longer, or came to nothing in a fault of ours, used its text.
func (p *Proxy) unanswered(ctx context.Context, s *meter.Started, hold *budget.Hold, refused bool) {
	if s == nil {
		hold.Settle(budget.Use{})
		return
	}
	if refused && ctx.Err() == nil || !s.HasLeft() {
		p.book.Drop(s)
		hold.Settle(budget.Use{})
		return
	}
	p.counted(s, hold, s.SoFar)
}

// exactAfter is how long a call takes before the tokens of its request are counted one by one: short ones cost no time of the
// tokenizer.
const exactAfter = 250 * time.Millisecond

// counting counts the text of a request behind the caller's back, unless it is stopped sooner.
func (p *Proxy) counting(c *call, s *meter.Started) (stop func()) {
	if s == nil {
		return func() {}
	}
	t := time.AfterFunc(exactAfter, func() {
		p.doing.beside(func() { p.noted(s, s.Input(meter.Estimate(c.text()))) })
	})
	return func() { t.Stop() }
}

// noting is called with each piece of an answer, before the caller has it.
func (p *Proxy) noting(a *answered, tap *meter.Tap) func() {
	return func() {
		if a.call != nil {
			p.noted(a.call, a.call.Note(tap.SoFar()))
		}
	}
}

// noted says when a note could not be written: the answer goes on, for its usage is added at its end.
func (p *Proxy) noted(s *meter.Started, err error) {
	if err != nil {
		p.opt.Log.Error("call not noted", "agent", s.Agent, "model", s.Model, "error", err)
	}
}

// settle adds what an answer used, once the caller has it.
func (p *Proxy) settle(c *call, a *answered, tap *meter.Tap) {
	if a.call == nil {
		return
	}
	a.stop()
	p.counted(a.call, a.hold, func() meter.Usage { return tap.Used(c.text) })
}

// counted adds what a call used, behind the caller's back.
func (p *Proxy) counted(s *meter.Started, hold *budget.Hold, used func() meter.Usage) {
	p.doing.beside(func() {
		u := used()
		if err := p.book.Settle(context.Background(), s, u); err != nil {
			p.opt.Log.Error("usage not kept", "agent", s.Agent, "model", s.Model, "error", err)
		}
		hold.Settle(budget.Use{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
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
