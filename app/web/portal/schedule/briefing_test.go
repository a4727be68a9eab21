package schedule_test

import (
	"net/http"
	"net/url"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestBriefing: the page offers a daily briefing, one click sets it up, and then it is not offered again.
func TestBriefing(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	peer, _, _ := h.Demo(t, of)
	p := &planner{}
	peer.Also = p.answer
	b := h.Owner(t, of)
	form := b.Get("/app/schedules").Find("#briefing form")
	sent := url.Values{}
	for _, name := range []string{"once", "agent", "does", "spec", "title", "task"} {
		v, ok := form.Find("[name=" + name + "]").Attr("value")
		if !ok || v == "" {
			t.Fatalf("the form lacks %s", name)
		}
		sent.Set(name, v)
	}
	action, _ := form.Attr("action")
	if got := b.Post(action, sent); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", got.StatusCode)
	}
	if len(p.created) != 1 {
		t.Fatalf("%+v", p.created)
	}
	if c := p.created[0]; c.Agent != "dispatcher" || c.Spec != "0 8 * * *" || c.Kind != wire.ScheduleCron {
		t.Fatalf("%+v", p.created)
	}
	if b.Get("/app/schedules").Find("#briefing").Length() != 0 {
		t.Error("it is offered again")
	}
}
