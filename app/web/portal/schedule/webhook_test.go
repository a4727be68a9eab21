package schedule_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/portal/portaltest"
)

// sender is a server whose one schedule sends results to an address.
type sender struct {
	kept  wire.Schedule
	ticks []wire.ScheduleTick
	acts  []wire.WebhookAct
}

func (s *sender) answer(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	switch m {
	case wire.MethodScheduleGet:
		return s.kept, nil
	case wire.MethodScheduleTicks:
		return wire.ScheduleTicks{Items: s.ticks}, nil
	case wire.MethodScheduleWebhook:
		var c wire.WebhookChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, err
		}
		s.acts = append(s.acts, c.Act)
		if c.Act.Do == wire.WebhookRemove {
			s.kept.Webhook = nil
		}
		return s.kept, nil
	}
	return nil, &wire.RPCError{Code: "not_found", Text: "There is no such thing."}
}

// TestWebhook: an owner reads where results go and how far each has come, and stops it; who may not manage has no forms for it.
func TestWebhook(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	s := &sender{
		kept: wire.Schedule{
			ID: "019a7e1c-6a55-7cc1-8000-000000000001", Agent: "secretary", Kind: wire.ScheduleEvery, Spec: "1h", Task: "Count the orders",
			Title: "Orders", State: wire.ScheduleActive, Version: 4, Deliver: wire.ScheduleDeliver{To: wire.DeliverWebhook},
			Webhook: &wire.ScheduleWebhook{Shown: "https://receiver.example/…", Stale: true, By: wire.DecidedBy{Name: "o@example.com"}},
		},
		ticks: []wire.ScheduleTick{{Due: at, Verdict: wire.TickRan, Outcome: wire.TickDone, Delivery: &wire.ScheduleDelivery{
			State: wire.DeliveryWaiting, Reason: "The receiver answered HTTP 503.", NextAt: at.Add(time.Minute),
			Attempts: []wire.DeliveryAttempt{{At: at, Status: 503, Reason: "The receiver answered HTTP 503."}},
		}}},
	}
	p.Also = s.answer
	b := h.Owner(t, of)
	path := "/app/schedules/" + s.kept.ID
	page := b.Get(path)
	portaltest.WantSound(t, path, page.Document)
	for _, want := range []string{"https://receiver.example/…", "Sign again", "On its way", "HTTP 503", "Attempts: 1"} {
		if text := page.Find("main").Text(); !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	act, _ := page.Find("#webhook-remove input[name=act]").Attr("value")
	b.Post(path+"/webhook", url.Values{"act": {act}})
	if len(s.acts) != 1 || s.acts[0].Do != wire.WebhookRemove || s.acts[0].Schedule != s.kept.ID {
		t.Fatalf("%+v", s.acts)
	}
	if text := b.Get(path).Find("body").Text(); !strings.Contains(text, "Results stay in their conversation") ||
		strings.Contains(text, "receiver.example") {
		t.Error("the page does not say that nothing is sent")
	}
	for name, act := range map[string]string{
		"no act": "{", "of another schedule": `{"do":"remove","schedule":"other"}`,
		"not known": `{"do":"open","schedule":"` + s.kept.ID + `"}`,
	} {
		if got := b.Post(path+"/webhook", url.Values{"act": {act}}); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	member := h.As(t, h.Member(t, of, "A baker", account.Rights{Role: account.Member, Chat: true}))
	if n := member.Get(path).Find("#webhook").Length(); n != 0 {
		t.Error("who may not manage has the forms")
	}
	if got := member.Post(path+"/webhook", url.Values{"act": {act}}); got.StatusCode != http.StatusForbidden {
		t.Errorf("who may not manage: %d", got.StatusCode)
	}
}
