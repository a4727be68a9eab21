package fleet

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// TestCommands: our staff see what a server measured, have its agentd start again in its own place, read its configuration
// again and renew the key of its link; a restart afterwards finds the new key.
func TestCommands(t *testing.T) {
	h, api := e2e.Start(t)
	api.AwaitLink()
	staff := h.NewPage(t)
	staff.SignInStaff()
	staff.Open("/admin/servers")
	staff.See("#servers-map", "Online")
	staff.InspectOpen("/admin/servers")
	staff.Click("#servers-results tbody tr a[href^='/admin/servers/']")
	staff.See("#chart-mem", "average")
	staff.InspectOpen("/admin/servers/one")

	before, was := h.PIDs(t, "agentd run"), pidFile(t, h)
	staff.Click("#command details.confirm summary")
	staff.Click("#command details.confirm[open] button[name=verb]")
	staff.Until("the restart is done", `document.querySelector("#sent li")?.innerText.includes("agentd was restarted")`)
	if after := h.PIDs(t, "agentd run"); !slices.Equal(before, after) || bytes.Equal(was, pidFile(t, h)) {
		t.Errorf("agentd did not start again in its own place: %v before, %v after", before, after)
	}
	api.AwaitLink()
	staff.Click(`#command button[value="config.refresh"]`)
	staff.Until("the configuration was read", `document.querySelector("#sent li")?.innerText.includes("configuration is in force")`)

	card := identity(t, h)
	staff.Click("#link-key button[type=submit]")
	staff.See("[data-toast]", "new key")
	renewed := identity(t, h)
	if renewed.Link == "" || renewed.Next != "" || renewed.Key != card.Key {
		t.Error("the server has no new key for its link, or another one for its cards")
	}
	h.KillAgentd(t)
	api.AwaitLink()
	staff.Open("/admin/servers")
	staff.See("#servers", "Online")

	owner := h.NewPage(t)
	owner.SignIn()
	owner.Open("/app/server?span=hour")
	owner.See("#chart-disk", "average")
	owner.InspectOpen("/app/server")
}

// keys are those of a server's identity.
type keys struct {
	Key  string `json:"key"`
	Link string `json:"link"`
	Next string `json:"next"`
}

func identity(t *testing.T, h *e2e.Hub) (k keys) {
	t.Helper()
	raw, err := os.ReadFile(h.Server("state", "identity.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &k))
	return k
}

func pidFile(t *testing.T, h *e2e.Hub) []byte {
	t.Helper()
	end := time.Now().Add(e2e.WaitLimit)
	for {
		raw, err := os.ReadFile(h.Server("state", "agentd.pid"))
		if err == nil || time.Now().After(end) {
			must(t, err)
			return raw
		}
	}
}
