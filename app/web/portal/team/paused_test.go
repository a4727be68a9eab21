package team_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestPaused: the team, the page of an agent and its chat say that a budget has paused it, until when, and lead to what lets it work on;
// a colleague that works says nothing of the kind.
func TestPaused(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	vienna, err := time.LoadLocation("Europe/Vienna") // where the customer is
	portaltest.Must(t, err)
	until := time.Now().Add(26 * time.Hour)
	for budget, want := range map[string]struct{ says, href string }{
		wire.BudgetPool:  {"This month’s tokens are used up.", "/app/agents/limits#pool"},
		wire.BudgetTeam:  {"The team has used 480 of its 500 tokens of this day.", "/app/agents/limits#day"},
		wire.BudgetAgent: {"The agent has used 480 of its 500 tokens of this day.", "/app/agents/gardener/model"},
	} {
		p.More = []wire.AgentInfo{{ID: "gardener", Name: "Head gardener", Level: 2, Paused: &wire.AgentPause{
			Agent: "gardener", Budget: budget, Limit: 500, Used: 480, Until: until,
		}}}
		b := h.Owner(t, of)
		for _, path := range []string{"/app/agents", "/app/agents/gardener", "/app/chat/agent/gardener?new=1"} {
			notice := b.Get(path).Find(".notice:contains('Head gardener is paused')")
			if notice.Length() != 1 || !strings.Contains(notice.Text(), want.says) ||
				!strings.Contains(notice.Text(), until.In(vienna).Format("15:04")) ||
				notice.Find("a").AttrOr("href", "") != want.href {
				t.Errorf("%s, %s: %q", budget, path, notice.Text())
			}
		}
		if got := b.Get("/app/agents").Find(".status[data-state=paused]"); got.Length() != 1 || got.Text() != "Paused" {
			t.Errorf("%s: %d agents of the team are shown as paused", budget, got.Length())
		}
		if got := b.Get("/app/agents/it-admin").Find("main").Text(); strings.Contains(got, "is paused") {
			t.Error("an agent that works is shown as paused")
		}
	}
}
