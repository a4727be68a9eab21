package team_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestAgent_runsAlone: when only the runs cannot be read, their panel alone says so.
func TestAgent_runsAlone(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	for what, keep := range map[string]func(*portaltest.Peer){
		"left without an answer": func(p *portaltest.Peer) { p.HangAt(wire.MethodRunsList) },
		"refused":                func(p *portaltest.Peer) { p.Fail(t, wire.MethodRunsList, 100) },
	} {
		of := h.NewCustomer(t)
		keep(h.Link(t, of))
		b := h.Owner(t, of)
		for path, holds := range map[string]string{
			"/app/agents/secretary": ".tools", "/app/agents/secretary/autonomy": ".matrix", "/app/agents/secretary/external": ".outward",
		} {
			page := b.Get(path)
			if page.StatusCode != http.StatusOK || page.Find("#banner .offline").Length() != 0 || page.Find("main "+holds).Length() == 0 {
				t.Fatalf("%s: %s: %d: %s", what, path, page.StatusCode, page.Find("#banner, main").Text())
			}
			if says := strings.Contains(page.Find("main").Text(), "could not show this"); says != (holds == ".tools") {
				t.Errorf("%s: %s says that something could not be read: %v", what, path, says)
			}
			portaltest.WantSound(t, path, page.Document)
		}
		s := b.Open(b.Get("/app/agents/secretary").Live(), "")
		if got := portaltest.Part(s.Until("could not show this"), "#agent"); got.Find(".tools").Length() == 0 {
			t.Errorf("%s: what is pushed lacks the tools: %s", what, got.Text())
		}
	}
}

// TestAgent_asksAtOnce: what the page of an agent needs is asked side by side, so that it waits once; the pages that show no
// runs ask for none.
func TestAgent_asksAtOnce(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	p.HangAt(wire.MethodRunsList)
	b.Get("/app/agents/secretary/autonomy")
	b.Get("/app/agents/secretary/external")
	if n := len(p.Unanswered); n != 0 {
		t.Errorf("runs that no page shows were asked for %d times", n)
	}
	p.HangAt(wire.MethodAgentsList, wire.MethodRunsList)
	portaltest.WantAway(t, "/app/agents/secretary", b.Get("/app/agents/secretary"), true)
	p.WantUnanswered(t, wire.MethodAgentsList, wire.MethodRunsList)
}

// TestAgent_knownWhileAway: while the server does not answer, the agents that the hub knows of have their pages, and no
// others: those that every team starts with, those that something is set for, and those that were read before.
func TestAgent_knownWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.More = []wire.AgentInfo{{ID: "gardener", Name: "Head gardener"}}
	p.Away(t)
	b := h.Owner(t, of)
	first := team.Folders{Dir: t.TempDir(), Library: team.Shipped()}
	portaltest.Must(t, first.Ready())
	ids, err := first.Members()
	portaltest.Must(t, err)
	for _, agent := range ids {
		portaltest.WantAway(t, agent, b.Get("/app/agents/"+agent), true)
	}
	wantStatus := func(want int, agents ...string) {
		t.Helper()
		for _, id := range agents {
			for _, page := range []string{"", "/autonomy", "/external"} {
				if got := b.Get("/app/agents/" + id + page); got.StatusCode != want {
					t.Errorf("%s%s: %d, want %d", id, page, got.StatusCode, want)
				}
			}
		}
	}
	wantStatus(http.StatusServiceUnavailable, "gardener", "nonesuch") // nobody can say now whether they are there
	if got := b.Post("/app/agents/cook/off", url.Values{"off": {"1"}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("switched off: %d", got.StatusCode)
	}
	wantStatus(http.StatusOK, "cook")
	p.Back(t)
	wantStatus(http.StatusOK, "gardener")
	wantStatus(http.StatusNotFound, "nonesuch")
	p.Away(t)
	b.Get("/app") // learns nothing, and forgets nothing
	wantStatus(http.StatusOK, "gardener")
	wantStatus(http.StatusNotFound, "nonesuch")
	if got := b.Get("/app/agents/gardener").Find("h1").Text(); got != "Head gardener" {
		t.Errorf("it is called %q", got)
	}
}

// TestAgent_noneOfThatName: nothing is set of an agent that is not in the team, and nobody can write to it, also while the
// server is away.
func TestAgent_noneOfThatName(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	for path, form := range map[string]url.Values{"off": {"off": {"1"}}, "autonomy": {"level": {"1"}}, "external": {"tool": {"message"}, "mode": {"gated"}}} {
		if got := b.Post("/app/agents/nobody/"+path, form); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	set, err := h.Teams.State(t.Context(), of.ID)
	portaltest.Must(t, err)
	if _, is := set.Config.Agents["nobody"]; is {
		t.Error("something is set of it")
	}
	wantStatus := func(want int, agent string) {
		t.Helper()
		for _, page := range []string{"/app/chat/agent/" + agent, "/app/chat/agent/" + agent + "?new=1"} {
			if got := b.Get(page); got.StatusCode != want {
				t.Errorf("%s: %d, want %d", page, got.StatusCode, want)
			}
		}
	}
	wantStatus(http.StatusNotFound, "nobody")
	p.Away(t)
	wantStatus(http.StatusNotFound, "nobody")
	wantStatus(http.StatusOK, "secretary")
	other := h.NewCustomer(t)
	h.Link(t, other).Away(t)
	b = h.Owner(t, other)
	wantStatus(http.StatusServiceUnavailable, "nobody") // the team was never read
	wantStatus(http.StatusOK, "secretary")
}
