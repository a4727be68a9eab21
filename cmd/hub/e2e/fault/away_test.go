package fault

import (
	"os"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// TestLinkAway cuts the link while an owner looks on: a banner above the page says so at once, and goes when the link is
// there again. In the long run (GATEHOUSE_SOAK) the link stays cut until heartbeats are missed: then the staff's list says
// so as well, and takes it back. Nobody reloads.
func TestLinkAway(t *testing.T) {
	front, env := startProxy(t)
	env = append(env, "AGENTD_BIN="+e2e.AgentdVia(t, "http://"+front.front.Addr().String()))
	h, _ := e2e.Start(t, append(env, e2e.StartModel(t).Env()...)...)
	owner, staff := h.NewPage(t), h.NewPage(t)
	owner.SignIn()
	owner.Open("/app/activity")
	staff.SignInStaff()
	staff.Open("/admin/servers")
	const banner, online = `document.querySelector("#banner .offline")`, `document.querySelector("main table").innerText.includes("Online")`
	there := func() {
		t.Helper()
		owner.Until("no banner", "!"+banner)
		staff.Until("a server that is online", online)
	}
	there()
	for _, p := range []*e2e.Page{owner, staff} {
		e2e.Eval[bool](p, "window.same = true")
	}

	front.hold("GET /agentd/link")
	owner.Until("the banner", banner)
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		<-time.After(missed) // how long it is cut is what is tried here
		staff.Until("no server that is online", "!"+online)
		owner.Until("the banner, still", banner)
	}
	front.release()
	there()
	for _, p := range []*e2e.Page{owner, staff} {
		p.Until("the same page as before", "window.same")
	}
}

// missed is how long heartbeats stay away until a server counts as degraded, and the time in which the hub looks again.
const missed = 90 * time.Second
