package team_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestAgents_waiting: whoever waits for the reader does so on every page that shows the team, and nobody else.
func TestAgents_waiting(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	for _, path := range []string{"/app", "/app/agents"} {
		got := b.Get(path)
		if n := got.Find(`main .status[data-state=waiting]`).Length(); n != 1 {
			t.Errorf("%s shows %d waiting: %s", path, n, got.Find("main").Text())
		}
	}
}

func TestAgents_settingsReachTheServer(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	for _, c := range []struct {
		path string
		form url.Values
		want func(wire.Config) bool
	}{
		{"/app/agents/it-admin/autonomy", url.Values{"level": {"3"}}, func(c wire.Config) bool { return c.Agents["it-admin"].Level == 3 }},
		{"/app/agents/it-admin/autonomy", url.Values{"level": {"0"}}, func(c wire.Config) bool { return c.Agents["it-admin"].Level == 0 }},
		{"/app/agents/secretary/external", url.Values{"tool": {"message"}, "mode": {"autonomous"}}, func(c wire.Config) bool { return slices.Contains(c.Agents["secretary"].Unlocked, "message") }},
		{"/app/agents/secretary/external", url.Values{"tool": {"message"}, "mode": {"gated"}}, func(c wire.Config) bool { return len(c.Agents["secretary"].Unlocked) == 0 }},
		{"/app/agents/secretary/off", url.Values{"off": {"1"}}, func(c wire.Config) bool { return c.Agents["secretary"].Off }},
		{"/app/agents/default-level", url.Values{"level": {"1"}}, func(c wire.Config) bool { return c.DefaultLevel == 1 }},
	} {
		before, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		c.form.Set("signature", portaltest.Signature())
		c.form.Set("version", strconv.FormatInt(before.Next(), 10))
		if got := b.Post(c.path, c.form); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s %v: %d", c.path, c.form, got.StatusCode)
		}
		st, err := h.Teams.State(t.Context(), of.ID)
		portaltest.Must(t, err)
		if !c.want(st.Config) || st.Config.By.Email != of.Email {
			t.Errorf("%s %v: %+v", c.path, c.form, st.Config)
		}
		if !st.Waiting() {
			t.Error("a change counts as applied before the server said so")
		}
	}
	if got := b.Post("/app/agents/it-admin/autonomy", url.Values{"level": {"9"}}); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Source, "Choose level 1, 2 or 3.") {
		t.Errorf("a level that is none: %d", got.StatusCode)
	}
	for _, path := range []string{"/app/agents/nobody", "/app/chat/agent/nobody", "/app/chat/agent/nobody?new=1"} {
		if got := b.Get(path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := b.Get("/app/agents/secretary").Find("main").Text(); !strings.Contains(got, "on its way") || !strings.Contains(got, "Switched off") {
		t.Errorf("the page says %s", got)
	}
}

func TestAutonomy_matrixIsTheGatesOwn(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	rows := h.Owner(t, of).Get("/app/agents/it-admin/autonomy").Find(".matrix tbody tr")
	want := [][]string{
		{"allow", "allow", "allow"}, {"ask", "allow", "allow"}, {"ask", "ask", "ask"}, {"ask", "ask", "allow"}, {"ask", "ask", "ask"}, {"deny", "deny", "deny"},
	}
	rows.Each(func(i int, row *goquery.Selection) {
		got := row.Find("td").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("data-effect", "") })
		if !slices.Equal(got, want[i]) {
			t.Errorf("%s: %v, want %v", row.Find("th").Text(), got, want[i])
		}
	})
	if rows.Length() != len(want) {
		t.Errorf("%d rows", rows.Length())
	}
}

// TestTeam_asksApart: what asks before the team gets more power stands apart from what the stream draws again, which would close
// it under the reader.
func TestTeam_asksApart(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	page := h.Owner(t, of).Get("/app/agents")
	id := page.Find("form[data-confirm]").AttrOr("data-confirm", "")
	if page.Find("dialog#"+id).Length() != 1 || page.Find("#agents dialog").Length() != 0 {
		t.Errorf("the form asks with %q: %s", id, page.Source)
	}
}
