package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/failover"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
)

// answered is an endpoint's good answer, read up to where it is known to be one.
type answered struct {
	head *http.Response
	body io.Reader
	from profile.Candidate
	call *meter.Started // nil: it costs nothing
	hold *budget.Hold   // nil: it falls under no budget
	stop func()         // ends the counting of the request
	hide bool           // the caller has not asked for the piece of a stream that says what was used

	limited int64 // the limit that the proxy has put into the request; 0: none
}

// failed is an endpoint's failure.
type failed struct {
	refusal
	why   failover.Why  // empty: another profile would say the same
	after time.Duration // that the endpoint asks to be left alone

	raw     []byte // what the endpoint said, as it came; it is passed on to nobody
	limited int64  // the limit that the proxy has put into the request; 0: none
	told    bool   // the request had a wish to hear the usage that the proxy has put in
}

// forward asks one candidate after the other until one answers. Nobody waits: what failed rests, and is asked again
// with a later request.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, c *call) {
	order := p.failover.Order(c.candidates)
	var first *failed
	for i, to := range order {
		ctx, cancel := context.WithCancel(r.Context())
		a, no := p.askAs(ctx, cancel, c, to, i == len(order)-1)
		if no == nil {
			p.answer(w, c, a)
			cancel()
			return
		}
		cancel()
		if r.Context().Err() != nil {
			return // the caller left: that says nothing about the endpoint
		}
		if no.code == llm.BudgetCode { // it was not asked: what stands in for it may cost nothing
			first = cmp.Or(first, no)
			continue
		}
		p.note(to, no)
		if no.why == "" {
			first = no
			break
		}
		if first == nil {
			first = no
		}
	}
	p.refuse(w, c, first)
}

// refuse tells the caller what the first of all said: the others stood in for it.
func (p *Proxy) refuse(w http.ResponseWriter, c *call, no *failed) {
	if no.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(no.after.Seconds())))
	}
	no.write(w, c.protocol == profile.Anthropic)
}

// askAs asks one candidate, and again when it refuses what the proxy has added and there is another way to say that. Only what was
// answered is learned. When a guess does not help, what was said first stands.
func (p *Proxy) askAs(ctx context.Context, cancel func(), c *call, to profile.Candidate, last bool) (*answered, *failed) {
	var first *failed
	for as := (attempt{shape: p.shapes.of(to)}); ; {
		a, no := p.ask(ctx, cancel, c, to, as, last)
		if no == nil {
			p.shapes.learn(to, as.answered(a.limited, a.hide))
			return a, nil
		}
		next, again := as.next(c, to, no)
		if !again {
			return nil, cmp.Or(first, no)
		}
		if next.guessed {
			first = no
		}
		as = next
		p.opt.Log.InfoContext(ctx, "model wants to be asked otherwise", "profile", to.Profile.Name, "model", to.Model, "status", no.status)
	}
}

// ask sends the request to one candidate. When there is another one, this one has not forever. Whatever it ends with but an answer, a
// panic too, gives back what was reserved.
func (p *Proxy) ask(ctx context.Context, cancel func(), c *call, to profile.Candidate, as attempt, last bool) (a *answered, no *failed) {
	hold, output, no := p.reserve(ctx, c, to, as)
	if no != nil {
		return nil, no
	}
	var s *meter.Started
	stop := func() {}
	defer func() {
		if a == nil {
			stop()
			p.unanswered(ctx, s, hold, no != nil)
		}
	}()
	req, hide, err := p.request(ctx, c, to, as.shape, output)
	if err != nil {
		return nil, unreachable("The request to the endpoint could not be made.")
	}
	if s, no = p.begin(ctx, c, to, hold); no != nil {
		return nil, no
	}
	stop = p.counting(c, s)
	if a, no = p.send(p.leaving(req, s), cancel, to, last); no != nil {
		no.limited, no.told = c.adds(output), hide
		return nil, no
	}
	a.call, a.hold, a.stop, a.hide, a.limited = s, hold, stop, hide, c.adds(output)
	return a, nil
}

// send sends the request that ask has made.
func (p *Proxy) send(req *http.Request, cancel func(), to profile.Candidate, last bool) (*answered, *failed) {
	patience := time.AfterFunc(p.opt.Wait, cancel)
	if last {
		patience.Stop()
	}
	res, err := p.client.Do(req) //nolint:bodyclose // closed in pass, or below
	if err != nil {
		patience.Stop()
		return nil, p.noAnswer(err)
	}
	if no := p.refused(res); no != nil {
		patience.Stop()
		_ = res.Body.Close() // it was read as far as it counts
		return nil, no
	}
	a := &answered{head: res, body: res.Body, from: to}
	no := p.peek(a)
	if !last && !patience.Stop() && no == nil {
		no = unreachable("The model's endpoint did not answer in time.")
	}
	if no != nil {
		_ = res.Body.Close() // refused as a whole
		return nil, no
	}
	return a, nil
}

func unreachable(says string) *failed {
	return &failed{refusal: refusal{status: http.StatusBadGateway, kind: "api_error", code: "upstream_unreachable", says: says}, why: failover.Unavailable}
}

// noAnswer is a failure below HTTP. Its text may hold an address, never anything of the request.
func (p *Proxy) noAnswer(err error) *failed {
	no := unreachable("The model's endpoint cannot be reached.")
	if errors.Is(err, errElsewhere) {
		no.says = "The model proxy's settings do not name this endpoint."
	}
	p.opt.Log.Warn("model endpoint not reached", "error", err)
	return no
}

// note lets a failed profile rest, and puts that on record behind the caller's back.
func (p *Proxy) note(to profile.Candidate, no *failed) {
	p.failover.Failed(to, no.why, no.after)
	p.opt.Log.Warn("model endpoint failed", "profile", to.Profile.Name, "model", to.Model, "status", no.status, "why", string(no.why))
	if no.why != "" {
		p.keep(to.Profile.Name)
	}
}

func (p *Proxy) worked(to profile.Candidate) {
	if p.failover.Worked(to) {
		p.keep(to.Profile.Name)
	}
}

func (p *Proxy) keep(name string) {
	p.doing.beside(func() {
		if err := p.failover.Keep(context.Background(), name); err != nil {
			p.opt.Log.Error("rest of a profile not kept", "profile", name, "error", err)
		}
	})
}
