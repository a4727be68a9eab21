package story

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/rig"
)

// program is an owner's program that signs with the key of the demo.
type program struct {
	*e2e.Client
	hub *e2e.Hub
}

// version is that of the settings that the server runs.
func (p program) version() int64 {
	var team struct {
		ConfigVersion int64 `json:"config_version"`
	}
	p.hub.AwaitSettings(p.T)
	p.Want(http.StatusOK, http.MethodGet, "/agents", nil, &team)
	return team.ConfigVersion
}

func (p program) signs(kind wire.ChangeKind, body any, version int64) *wire.Signature {
	p.T.Helper()
	sig, err := rig.SignedChange(p.hub.Demo.Approver, p.hub.Demo.ServerID, kind, body, version)
	if err != nil {
		p.T.Fatal(err)
	}
	return sig
}

// acts are calls with an act and what signs it.
func (p program) acts(kind wire.ChangeKind, act any) map[string]any {
	return map[string]any{"act": act, "signature": p.signs(kind, act, p.version())}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// TestAPI_team: a program of the owner makes an agent, lets it work, reads what it did, writes its files, lets it send mail by itself
// and takes that back, and puts it away. Without a signature nothing of that happens.
func TestAPI_team(t *testing.T) {
	h, c, _ := e2e.StartOwned(t)
	p := program{c, h}
	first := wire.TeamAct{ID: newID(), Do: wire.TeamDoCreate, Agent: "gardener", About: &wire.TeamAbout{
		Name: "Gardener", Role: "Looks after the plants", Description: "Knows when which plant wants water.", Profile: "messaging",
		Starters: []string{}, Without: []string{},
	}}
	p.Want(http.StatusForbidden, http.MethodPost, "/agents", map[string]any{"act": first}, nil)
	template := filepath.Join(h.Server("state", "agents"), "secretary", "template.yaml")
	if err := os.WriteFile(template, []byte("name: ["), 0o600); err != nil { // by hand: it keeps nobody else from working
		t.Fatal(err)
	}
	signed := p.acts(wire.ChangeTeam, first)
	for range 2 { // it happens once
		p.Want(http.StatusCreated, http.MethodPost, "/agents", signed, nil)
	}
	var team wire.AgentsResult
	p.Want(http.StatusOK, http.MethodGet, "/agents", nil, &team)
	if i := slices.IndexFunc(team.Items, func(a wire.AgentInfo) bool { return a.Broken != "" }); i < 0 || team.Items[i].ID != "secretary" {
		t.Errorf("nobody is broken: %+v", team.Items)
	}
	p.End(p.Say("gardener", "Which plants? "+e2e.Script(t, e2e.Step{Say: "The fern wants water."})))
	type ofAgent struct{ Agent string }
	var runs struct{ Items []ofAgent }
	for path, want := range map[string]int{
		"/agents/gardener/activity": 1, "/agents/gardener/conversations": 1, "/agents/gardener/conversations?archived=true": 0,
		"/agents/it-admin/activity": 0,
	} {
		p.Want(http.StatusOK, http.MethodGet, path, nil, &runs)
		others := func(r ofAgent) bool { return r.Agent != "gardener" }
		if len(runs.Items) != want || slices.ContainsFunc(runs.Items, others) {
			t.Errorf("%s: %+v", path, runs.Items)
		}
	}

	comms := map[string]any{"tool": "message", "unlocked": true}
	p.Want(http.StatusForbidden, http.MethodPatch, "/agents/gardener/external-comms", comms, nil)
	comms["version"] = p.version() + 1
	comms["signature"] = p.signs(wire.ChangeUnlock, wire.UnlockBody{Agent: "gardener", Tool: "message"}, p.version()+1)
	var now struct{ Unlocked []string }
	p.Want(http.StatusOK, http.MethodPatch, "/agents/gardener/external-comms", comms, &now)
	if !slices.Equal(now.Unlocked, []string{"message"}) {
		t.Errorf("unlocked are %q", now.Unlocked)
	}
	p.hub.AwaitSettings(t)
	p.Want(http.StatusOK, http.MethodPatch, "/agents/gardener/external-comms", map[string]any{"tool": "message"}, &now)
	if len(now.Unlocked) != 0 {
		t.Errorf("locked again: %q", now.Unlocked)
	}

	var member wire.TeamMember
	p.Want(http.StatusOK, http.MethodGet, "/agents/gardener", nil, &member)
	write := wire.TeamAct{
		ID: newID(), Do: wire.TeamDoWrite, Agent: "gardener", Seen: member.Seen, File: "IDENTITY.md", Text: "You never water a cactus.",
	}
	p.Want(http.StatusOK, http.MethodPatch, "/agents/gardener", p.acts(wire.ChangeTeam, write), nil)
	var history wire.TeamHistory
	p.Want(http.StatusOK, http.MethodGet, "/agents/gardener/files/IDENTITY.md", nil, &history)
	if len(history.Items) != 2 || !history.Items[0].Now {
		t.Errorf("versions: %+v", history.Items)
	}
	p.Want(http.StatusOK, http.MethodGet, "/agents/gardener", nil, &member)
	away := wire.TeamAct{ID: newID(), Do: wire.TeamDoArchive, Agent: "gardener", Seen: member.Seen}
	p.Want(http.StatusOK, http.MethodDelete, "/agents/gardener", p.acts(wire.ChangeTeam, away), nil)
	p.Want(http.StatusNotFound, http.MethodGet, "/agents/gardener", nil, nil)
}

// TestAPI_hooks: a program of the owner makes a hook, another one sends to it, and the first reads what came, pauses it and deletes it.
func TestAPI_hooks(t *testing.T) {
	h, c, _ := e2e.StartOwned(t)
	p := program{c, h}
	const secret = "a secret of thirty characters!"
	sum := sha256.Sum256([]byte(secret))
	first := wire.HookAct{
		ID: newID(), Do: wire.HookDoMake, Name: "orders", Agent: "it-admin", Task: "Look at what came.", Proof: wire.HookToken,
		SecretHash: hex.EncodeToString(sum[:]), PerMinute: 10,
	}
	var hook struct {
		ID, State string
		Version   int64
	}
	p.Want(http.StatusForbidden, http.MethodPost, "/hooks", map[string]any{"act": first}, nil)
	p.Want(http.StatusCreated, http.MethodPost, "/hooks", p.acts(wire.ChangeHook, first), &hook)
	address := h.URL("/h/" + h.Demo.ServerID + "/orders")
	body := e2e.Script(t, e2e.Step{Say: "Seen."})
	if got, _ := sent(t, address, body, "Authorization", "Bearer "+secret); got != http.StatusAccepted {
		t.Errorf("a delivery: %d", got)
	}
	var came struct {
		Items []struct {
			Verdict string
			RunID   string `json:"run_id"`
		}
	}
	p.Want(http.StatusOK, http.MethodGet, "/hooks/"+hook.ID+"/deliveries", nil, &came)
	if len(came.Items) != 1 || came.Items[0].Verdict != "accepted" {
		t.Fatalf("came: %+v", came.Items)
	}
	p.End(came.Items[0].RunID)

	pause := wire.HookAct{ID: newID(), Do: wire.HookDoPause, Hook: hook.ID, Version: hook.Version}
	p.Want(http.StatusOK, http.MethodPatch, "/hooks/"+hook.ID, map[string]any{"act": pause}, &hook)
	if got, _ := sent(t, address, "x", "Authorization", "Bearer "+secret); got != http.StatusServiceUnavailable || hook.State != "paused" {
		t.Errorf("paused: %d, %+v", got, hook)
	}
	resume := wire.HookAct{ID: newID(), Do: wire.HookDoResume, Hook: hook.ID, Version: hook.Version}
	p.Want(http.StatusForbidden, http.MethodPatch, "/hooks/"+hook.ID, map[string]any{"act": resume}, nil)
	p.Want(http.StatusOK, http.MethodPatch, "/hooks/"+hook.ID, p.acts(wire.ChangeHook, resume), &hook)
	p.Want(http.StatusNoContent, http.MethodDelete, "/hooks/"+hook.ID, nil, nil)
	if got, _ := sent(t, address, "x", "Authorization", "Bearer "+secret); got != http.StatusUnauthorized {
		t.Errorf("deleted: %d", got)
	}
	var all struct{ Items []struct{ ID string } }
	p.Want(http.StatusOK, http.MethodGet, "/hooks", nil, &all)
	if len(all.Items) != 0 {
		t.Errorf("the list has %+v", all.Items)
	}
}

// TestAPI_schedules: a program pauses all schedules, sets the quiet hours, and reads what is due in the coming days.
// TestAPI_chatSettings: a program sets how conversations are kept, reads it back, and is told what cannot be.
func TestAPI_chatSettings(t *testing.T) {
	_, c, _ := e2e.StartOwned(t)
	for _, set := range []map[string]any{
		{"queue": "collect", "debounce_ms": 0.0, "idle_hours": 12.0, "daily": true},
		{"queue": "usual", "debounce_ms": 1500.0, "idle_hours": 0.0, "daily": false},
	} {
		var now map[string]any
		c.Want(http.StatusOK, http.MethodPut, "/chat/settings", set, &now)
		c.Want(http.StatusOK, http.MethodGet, "/chat/settings", nil, &now)
		for name, want := range set {
			if now[name] != want {
				t.Errorf("%s is %v, want %v", name, now[name], want)
			}
		}
	}
	for _, wrong := range []map[string]any{{"queue": "shout"}, {"debounce_ms": 10001}, {"idle_hours": -1}} {
		if got := c.Do(http.MethodPut, "/chat/settings", wrong); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d %s", wrong, got.Status, got.Body)
		}
	}
}

func TestAPI_schedules(t *testing.T) {
	_, c, _ := e2e.StartOwned(t)
	c.Want(http.StatusCreated, http.MethodPost, "/schedules", map[string]any{
		"agent": "it-admin", "kind": "cron", "spec": "0 8 * * *", "time_zone": "Europe/Berlin", "title": "Look", "task": "Look at the disk",
	}, nil)
	from := time.Now().UTC().Truncate(time.Second)
	var due struct{ Items []struct{ At time.Time } }
	days := "/schedules/due?from=" + from.Format(time.RFC3339) + "&until=" + from.AddDate(0, 0, 3).Format(time.RFC3339)
	c.Want(http.StatusOK, http.MethodGet, days, nil, &due)
	if len(due.Items) != 3 {
		t.Errorf("in three days are due: %+v", due.Items)
	}
	set := map[string]any{"paused": true, "quiet_from": "22:00", "quiet_to": "06:00"}
	var now map[string]any
	c.Want(http.StatusOK, http.MethodPut, "/schedules/settings", set, &now)
	c.Want(http.StatusOK, http.MethodGet, "/schedules/settings", nil, &now)
	for name, want := range set {
		if now[name] != want {
			t.Errorf("%s is %v, want %v", name, now[name], want)
		}
	}
	wrong := c.Do(http.MethodPut, "/schedules/settings", map[string]any{"quiet_from": "25:00", "quiet_to": "06:00"})
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(string(wrong.Body), "22:00") {
		t.Errorf("quiet from 25:00: %d %s", wrong.Status, wrong.Body)
	}
}
