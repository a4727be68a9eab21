package e2e

import (
	"os"
	"testing"
	"time"
)

// TestLinkAway cuts the link while an owner looks on: a banner above the page says so at once, and goes when the link is
// there again. In the long run (GATEHOUSE_SOAK) the link stays cut until heartbeats are missed: then the staff's list says
// so as well, and takes it back. Nobody reloads.
func TestLinkAway(t *testing.T) {
	front, env := startProxy(t)
	env = append(env, "AGENTD_BIN="+viaProxy(t, "http://"+front.front.Addr().String()))
	h, _ := parallelHub(t, append(env, startModel(t).env()...)...)
	owner, staff := h.newPage(t), h.newPage(t)
	owner.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	owner.open("/app/activity")
	signInStaff(staff, h)
	staff.open("/admin/servers")
	const banner, online = `document.querySelector("#banner .offline")`, `document.querySelector("main table").innerText.includes("Online")`
	there := func() {
		t.Helper()
		owner.until("no banner", "!"+banner)
		staff.until("a server that is online", online)
	}
	there()
	for _, p := range []*page{owner, staff} {
		eval[bool](p, "window.same = true")
	}

	front.hold("GET /agentd/link")
	owner.until("the banner", banner)
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		<-time.After(missed) // how long it is cut is what is tried here
		staff.until("no server that is online", "!"+online)
		owner.until("the banner, still", banner)
	}
	front.release()
	there()
	for _, p := range []*page{owner, staff} {
		p.until("the same page as before", "window.same")
	}
}

// missed is how long heartbeats stay away until a server counts as degraded, and the time in which the hub looks again.
const missed = 90 * time.Second
