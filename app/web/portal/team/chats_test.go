package team_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestChats: how conversations are kept is saved as typed and needs no signature; what cannot be is refused with what was typed, and
// changes nothing.
func TestChats(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	set := func() wire.Chats {
		t.Helper()
		st, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		return st.Config.Chats
	}
	const path = "/app/agents/limits/conversations"
	good := url.Values{"queue": {"steer"}, "idle_hours": {" 12 "}, "daily": {"1"}}
	if got := b.Post(path, good); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d", got.StatusCode)
	}
	want := wire.Chats{Queue: wire.QueueSteer, IdleHours: 12, Daily: true}
	if got := set(); got != want {
		t.Errorf("saved: %+v", got)
	}
	page := b.Get("/app/agents/limits")
	if page.Find("[name=queue][checked]").AttrOr("value", "") != "steer" || page.Find("[name=idle_hours]").AttrOr("value", "") != "12" ||
		page.Find("[name=daily][checked]").Length() != 1 {
		t.Errorf("the page shows something else: %s", page.Find("#conversations").Text())
	}
	for field, wrong := range map[string][]string{"queue": {"shout"}, "idle_hours": {"0", "-3", "8761", "1.5", "lots"}} {
		for _, typed := range wrong {
			in := url.Values{"queue": {"collect"}, "idle_hours": {""}}
			in.Set(field, typed)
			got := b.Post(path, in)
			if got.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s %q: %d", field, typed, got.StatusCode)
			}
			if field == "idle_hours" && got.Find("[name=idle_hours]").AttrOr("value", "") != typed {
				t.Errorf("what was typed is lost: %q", typed)
			}
		}
	}
	if got := set(); got != want {
		t.Errorf("changed all the same: %+v", got)
	}
	for _, o := range page.Find("[name=queue]").EachIter() {
		in := url.Values{"queue": {o.AttrOr("value", "")}}
		if got := b.Post(path, in); got.StatusCode != http.StatusSeeOther || string(set().Queue) != in.Get("queue") {
			t.Errorf("offered, and not taken: %v: %d, %+v", in, got.StatusCode, set())
		}
	}
	got := b.Post(path, url.Values{"queue": {""}, "idle_hours": {""}})
	if got.StatusCode != http.StatusSeeOther || set() != (wire.Chats{}) {
		t.Errorf("back to what is usual: %d, %+v", got.StatusCode, set())
	}
	if text := b.Get("/app/agents/limits").Find("#conversations").Text(); strings.Contains(text, "portal.chats") {
		t.Errorf("%s", text)
	}
}
