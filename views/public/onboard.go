package public

import (
	"cmp"
	"context"
	"time"

	"gatehouse/views/dns"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
	"gatehouse/views/welcome"
)

// Progress is how far an order is, in the states of an order.
type Progress struct {
	Number    int64
	Plan      string
	Price     int64    // cents a month
	Test      bool     // paid by the built-in test checkout
	Steps     []string // the way of an order that meets no trouble
	State     string   // FULFILLED, FAILED, CANCELLED or one of Steps
	Step      string   // the step that is at work, or that failed
	Reason    string   // FAILED: why, for people
	Reached   map[string]time.Time
	OrderedAt time.Time
	Email     string
	Verified  bool // the address is confirmed
	Keyed     bool // the browser that ordered made a key
	First     *FirstKey
	Tasks     welcome.Props // of an order that is fulfilled
	Name      *dns.Props    // of its server, while that is being made known; nil when there is nothing to say

	CanCallOff bool      // it may be called off
	CanKeep    bool      // its end may be taken back on this page
	Owes       bool      // once an invoice is paid
	EndsAt     time.Time // when the server of an ended order is released; zero unless it has ended
}

// FirstKey is what a server says of the key that came with its order. The browser that made it checks that: see
// static/js/first.js.
type FirstKey struct {
	ID               string // of the key that came with the order
	Server           string
	List, Card, Sig  string       // wire.KeyList of the server's keys, and its signature over that
	Words, CardWords string       // to compare: of the key, and of the server's own
	Recovery         *ui.Recovery // the recovery code for the same browser; nil once it was written down
}

func (k FirstKey) words(ctx context.Context) []ui.Pair {
	return []ui.Pair{
		{Name: i18n.T(ctx, "public.first.words"), Value: k.Words, Code: true},
		{Name: i18n.T(ctx, "public.first.card_words"), Value: k.CardWords, Code: true},
	}
}

// The states that are more than a step.
const (
	fulfilled = "FULFILLED"
	failed    = "FAILED"
	cancelled = "CANCELLED"
	stopping  = "STOPPING"
	ended     = "ENDED"
	releasing = "RELEASING"
	released  = "RELEASED"
)

// endings are the heading and the lead of an order that ends or has ended.
var endings = map[string][2]i18n.Key{
	cancelled: {"public.onboard.h1_cancelled", "public.onboard.lead_cancelled"},
	stopping:  {"public.onboard.h1_stopping", "public.onboard.lead_stopping"},
	ended:     {"public.onboard.h1_ended", "public.onboard.lead_ended"},
	releasing: {"public.onboard.h1_releasing", "public.onboard.lead_releasing"},
	released:  {"public.onboard.h1_released", "public.onboard.lead_released"},
}

// winds says whether the order ends or has ended after its set-up began: where it stood on its way says nothing any more.
func (p Progress) winds() bool { return p.State != cancelled && endings[p.State][0] != "" }

// keys name the states in the words of customers.
var keys = map[string]i18n.Key{
	"PAYMENT_CONFIRMED": "public.onboard.s1", "AWAITING_SERVER": "public.onboard.s2", "SERVER_READY": "public.onboard.s3",
	"DNS_PENDING": "public.onboard.s4", "DNS_READY": "public.onboard.s5", "PROVISIONING": "public.onboard.s6", fulfilled: "public.onboard.s7",
}

// under says whether something is still happening.
func (p Progress) under() bool {
	switch p.State {
	case fulfilled, cancelled, ended, released:
		return false
	}
	return true
}

func (p Progress) heading() i18n.Key {
	switch p.State {
	case fulfilled:
		return "public.onboard.h1_done"
	case failed:
		return "public.onboard.h1_failed"
	}
	return cmp.Or(endings[p.State][0], "public.onboard.h1")
}

func (p Progress) lead(ctx context.Context) string {
	switch p.State {
	case fulfilled:
		return i18n.T(ctx, "public.onboard.lead_done")
	case failed:
		return i18n.T(ctx, "public.onboard.lead_failed")
	case ended:
		zone := ui.Of(ctx).Zone
		if zone == nil {
			zone = time.UTC
		}
		return i18n.T(ctx, "public.onboard.lead_ended", "day", i18n.Day(ctx, p.EndsAt.In(zone)))
	}
	if p.Name != nil && p.Name.NeedsYou() {
		return i18n.T(ctx, "name.needs_you")
	}
	return i18n.T(ctx, cmp.Or(endings[p.State][1], "public.onboard.lead"))
}

// stages are the steps with what became of each.
func (p Progress) stages(ctx context.Context) []ui.Stage {
	var out []ui.Stage
	at := -1
	for i, s := range p.Steps {
		if s == p.Step {
			at = i
		}
	}
	for i, s := range p.Steps {
		out = append(out, ui.Stage{Name: i18n.T(ctx, keys[s]), Hint: p.hint(ctx, s), State: p.stage(i, at), At: p.Reached[s]})
	}
	return out
}

// hint says what a step is for; of the one that failed, why.
func (p Progress) hint(ctx context.Context, step string) string {
	if p.State == failed && step == p.Step {
		return i18n.Say(ctx, p.Reason)
	}
	return i18n.T(ctx, keys[step]+"_hint")
}

// stage says what became of step i while at is at work.
func (p Progress) stage(i, at int) string {
	switch {
	case p.State == fulfilled || i < at:
		return "done"
	case i > at || p.State == cancelled:
		return "ahead"
	case p.State == failed:
		return "failed"
	}
	return "now"
}

// now is the one sentence that is spoken when the order moves on.
func (p Progress) now(ctx context.Context) string {
	if p.State == fulfilled || p.State == failed || endings[p.State][0] != "" {
		return i18n.T(ctx, p.heading())
	}
	return i18n.T(ctx, "public.onboard.now", "step", i18n.T(ctx, keys[p.Step]))
}

// onboardPage is the layout of the page, live while something happens.
func onboardPage(ctx context.Context, f Frame, p Progress) layout.Public {
	page := f.task(ctx, "public.onboard.title")
	if p.under() {
		page.Stream = OnboardStreamPath
	}
	return page
}

// progressID is the element that the stream replaces.
const progressID = "progress"
