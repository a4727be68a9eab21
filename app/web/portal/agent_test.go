package portal_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestAgent_runsAlone: when only the runs cannot be read, their panel alone says so.
func TestAgent_runsAlone(t *testing.T) {
	t.Parallel()
	h := start(t)
	for what, keep := range map[string]func(*peer){
		"left without an answer": func(p *peer) { p.hangsAt(wire.MethodRunsList) },
		"refused":                func(p *peer) { p.fails(t, wire.MethodRunsList, 100) },
	} {
		of := h.newCustomer(t)
		keep(h.link(t, of))
		b := h.owner(t, of)
		for path, holds := range map[string]string{
			"/app/agents/secretary": ".tools", "/app/agents/secretary/autonomy": ".matrix", "/app/agents/secretary/external": ".outward",
		} {
			page := b.get(path)
			if page.StatusCode != http.StatusOK || page.Find("#banner .offline").Length() != 0 || page.Find("main "+holds).Length() == 0 {
				t.Fatalf("%s: %s: %d: %s", what, path, page.StatusCode, page.Find("#banner, main").Text())
			}
			if says := strings.Contains(page.Find("main").Text(), "could not be read"); says != (holds == ".tools") {
				t.Errorf("%s: %s says that something could not be read: %v", what, path, says)
			}
			wantSound(t, path, page.Document)
		}
		s := b.open(b.get("/app/agents/secretary").live(), "")
		if got := part(s.until("could not be read"), "#agent"); got.Find(".tools").Length() == 0 {
			t.Errorf("%s: what is pushed lacks the tools: %s", what, got.Text())
		}
	}
}

// TestAgent_asksAtOnce: what the page of an agent needs is asked side by side, so that it waits once; the pages that show no
// runs ask for none.
func TestAgent_asksAtOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	p.hangsAt(wire.MethodRunsList)
	b.get("/app/agents/secretary/autonomy")
	b.get("/app/agents/secretary/external")
	if n := len(p.left); n != 0 {
		t.Errorf("runs that no page shows were asked for %d times", n)
	}
	p.hangsAt(wire.MethodAgentsList, wire.MethodRunsList)
	wantAway(t, "/app/agents/secretary", b.get("/app/agents/secretary"), true)
	p.wantLeft(t, wire.MethodAgentsList, wire.MethodRunsList)
}

// TestAgent_knownWhileAway: while the server does not answer, the agents that the hub knows of have their pages, and no
// others: those that every team starts with, those that something is set for, and those that were read before.
func TestAgent_knownWhileAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	p.more = []wire.AgentInfo{{ID: "gardener", Name: "Head gardener"}}
	p.away(t)
	b := h.owner(t, of)
	shipped, err := os.ReadDir("../../../agentd/team/templates")
	must(t, err)
	for _, agent := range shipped {
		wantAway(t, agent.Name(), b.get("/app/agents/"+agent.Name()), true)
	}
	wantStatus := func(want int, agents ...string) {
		t.Helper()
		for _, id := range agents {
			for _, page := range []string{"", "/autonomy", "/external"} {
				if got := b.get("/app/agents/" + id + page); got.StatusCode != want {
					t.Errorf("%s%s: %d, want %d", id, page, got.StatusCode, want)
				}
			}
		}
	}
	wantStatus(http.StatusServiceUnavailable, "gardener", "nonesuch") // nobody can say now whether they are there
	if got := b.post("/app/agents/cook/off", url.Values{"off": {"1"}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("switched off: %d", got.StatusCode)
	}
	wantStatus(http.StatusOK, "cook")
	p.back(t)
	wantStatus(http.StatusOK, "gardener")
	wantStatus(http.StatusNotFound, "nonesuch")
	p.away(t)
	b.get("/app") // learns nothing, and forgets nothing
	wantStatus(http.StatusOK, "gardener")
	wantStatus(http.StatusNotFound, "nonesuch")
	if got := b.get("/app/agents/gardener").Find("h1").Text(); got != "Head gardener" {
		t.Errorf("it is called %q", got)
	}
}
