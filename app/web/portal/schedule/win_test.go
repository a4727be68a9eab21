package schedule_test

import (
	"net/http"
	"net/url"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestWin: a first task that is a schedule fills the form, saves nothing by that, and is done when the form was sent.
func TestWin(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	peer, _, _ := h.Demo(t, of)
	p := &planner{}
	peer.Also = p.answer
	b := h.Owner(t, of)
	b.Post("/app/business", url.Values{"kind": {"craft"}})
	page := b.Get("/app/schedules/new?win=weekly")
	portaltest.WantSound(t, "/app/schedules/new?win=weekly", page.Document)
	if spec, _ := page.Find("[name=spec]").Attr("value"); spec != "every Friday at 9" || len(p.created) != 0 {
		t.Fatalf("%q, %+v", spec, p.created)
	}
	sent := url.Values{"does": {"reminds"}, "agent": {"secretary"}, "task": {page.Find("[name=task]").Text()}}
	if page.Find("[name=does][checked]").AttrOr("value", "") != "remind" {
		t.Errorf("it does %q", page.Find("[name=does][checked]").AttrOr("value", ""))
	}
	sent.Set("does", page.Find("[name=does][checked]").AttrOr("value", ""))
	for _, name := range []string{"once", "spec", "win"} {
		sent.Set(name, page.Find("[name="+name+"]").AttrOr("value", ""))
	}
	if b.Get("/app/business").Find("[data-task=weekly][data-done]").Length() != 0 {
		t.Error("it is done before it was saved")
	}
	if got := b.Post("/app/schedules/new", sent); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d %s", got.StatusCode, got.Find("main").Text())
	}
	if len(p.created) != 1 || p.created[0].Kind != wire.ScheduleReminder {
		t.Fatalf("%+v", p.created)
	}
	if b.Get("/app/business").Find("[data-task=weekly][data-done]").Length() != 1 {
		t.Error("it is not done after it was saved")
	}
	if b.Get("/app/schedules/new?win=nothing").Find("[name=win]").Length() != 0 {
		t.Error("what is no first task is one")
	}
}
