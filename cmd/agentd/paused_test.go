package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// housed is a server whose operator pays for the models small and large, at an endpoint that writes down what it is asked.
func housed(t *testing.T) (*hub, *endpoint) {
	t.Helper()
	h, e, _ := housedServer(t)
	return h, e
}

// housedServer is housed, with its process.
func housedServer(t *testing.T) (*hub, *endpoint, *server) {
	t.Helper()
	h, e := newHub(t), newEndpoint(t)
	s := start(t, h, "MODEL_BASE_URL="+e.srv.URL+"/v1", "MODEL_NAME=scripted")
	s.signal(syscall.SIGTERM)
	s.end()
	models := fmt.Sprintf("profiles: [{name: house, protocol: openai, base_url: %q, models: [small, large, gold], no_key: true, "+
		"key: house}]",
		e.srv.URL+"/v1")
	must(t, os.WriteFile(filepath.Join(s.state, "proxy", "models.yaml"), []byte(models), 0o600))
	s.back()
	return h, e, s
}

// push hands a configuration over, and waits until it is in force.
func (h *hub) push(cfg wire.Config) {
	h.t.Helper()
	h.linked()
	h.send(wire.TypeConfigPush, cfg)
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == cfg.Version && c.Error == "" })
}

// plain is what the owner has set, where presets stand for models.
func plain(version int64) wire.Config {
	return wire.Config{
		Version: version, DefaultLevel: 2, TimeZone: "UTC", Business: "Example", Inside: []string{"owner@example.com"},
		Spend: wire.Spend{Models: wire.ModelMenu{
			Presets: map[string]string{wire.PresetBalanced: "small", wire.PresetComplex: "large"}, Premium: []string{"gold"},
		}},
	}
}

// TestAgentd_preset: the model that the provider is asked for is the one behind the agent's preset, from the next message on; a preset
// without one, and a premium model that nobody has signed for, are the server's own.
func TestAgentd_preset(t *testing.T) {
	t.Parallel()
	h, e := housed(t)
	asks := func(what string, cfg wire.Config, want string) {
		t.Helper()
		h.push(cfg)
		if run := h.ended(h.say("Hello, " + what)); run.State != wire.RunDone {
			t.Errorf("%s: the run ended %s: %+v", what, run.State, run.Error)
		}
		if got := e.heard(); !strings.Contains(got, `"model":"`+want+`"`) || !strings.Contains(got, what) {
			t.Errorf("%s: asked not %s: %.200s", what, want, got)
		}
	}
	cfg := plain(2)
	asks("nothing chosen", cfg, "small")
	cfg = plain(3)
	cfg.Agents = map[string]wire.AgentConfig{"dispatcher": {Model: wire.PresetComplex}}
	asks("complex", cfg, "large")
	cfg.Version, cfg.Agents["dispatcher"] = 4, wire.AgentConfig{Model: wire.PresetBasic}
	asks("a preset without a model", cfg, "scripted")
	cfg.Version, cfg.Spend.Models.Presets[wire.PresetBasic] = 5, "gold"
	asks("premium behind a preset", cfg, "scripted")
}

// TestAgentd_pausedAfterARestart: a server that starts again keeps to the budget that it knew last, though nobody tells it of one any
// more: the hub has nothing to say, and no provider is asked.
func TestAgentd_pausedAfterARestart(t *testing.T) {
	t.Parallel()
	h, e, s := housedServer(t)
	cfg := plain(2)
	cfg.Spend.Pool = &wire.Pool{From: time.Now().UTC().Add(-time.Hour), To: time.Now().UTC().AddDate(0, 0, 20), Tokens: 500}
	h.push(cfg)
	before := e.heard()
	for range 2 {
		s.kill()
		s.back()
		run := h.ended(h.say("Hello after a restart"))
		if run.State != wire.RunFailed || run.Error == nil || run.Error.Type != "paused" || e.heard() != before {
			t.Errorf("after a restart the run is %s: %+v", run.State, run.Error)
		}
	}
}

// TestAgentd_pausedByBudget: once the pool is used up, the server says who is paused until when, a schedule is skipped and fails not
// once, and a larger pool lets the team work on by itself.
func TestAgentd_pausedByBudget(t *testing.T) {
	t.Parallel()
	h, _ := housed(t)
	cfg := plain(2)
	cfg.Spend.Pool = &wire.Pool{From: time.Now().UTC().Add(-time.Hour), To: time.Now().UTC().AddDate(0, 0, 20), Tokens: 500}
	h.push(cfg)
	beat := func(what string, ok func(b wire.Heartbeat) bool) {
		t.Helper()
		h.until(what, func(got []wire.Frame) bool {
			for i := len(got) - 1; i >= 0; i-- {
				var b wire.Heartbeat
				if got[i].Type == wire.TypeHeartbeat && json.Unmarshal(got[i].Body, &b) == nil {
					return ok(b)
				}
			}
			return false
		})
	}
	beat("all agents are paused", func(b wire.Heartbeat) bool { return len(b.Paused) > 2 })
	run := h.ended(h.say("Hello"))
	if run.State != wire.RunFailed || run.Error == nil || run.Error.Type != "paused" || !strings.Contains(run.Error.Detail, "Limits") {
		t.Fatalf("a run with its budget used up is %s: %+v", run.State, run.Error)
	}
	team := told[wire.AgentsResult](h, wire.MethodAgentsList, nil)
	for _, a := range team.Items {
		if p := a.Paused; p == nil || p.Budget != wire.BudgetPool || p.Limit != 500 || !p.Until.After(time.Now()) || a.Off {
			t.Errorf("%s: paused %+v, off %v", a.ID, p, a.Off)
		}
	}
	told[wire.Schedule](h, wire.MethodScheduleCreate, wire.ScheduleCreate{
		ID: newUUID(), Agent: "dispatcher", Kind: wire.ScheduleAt, Spec: "in 2 seconds", Task: "Look at the disk",
		By: wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal"},
	})
	soon(t, "the schedule is skipped", func() bool {
		all := told[wire.SchedulesResult](h, wire.MethodSchedulesList, wire.SchedulesParams{})
		last := all.Items[0].Last
		return last != nil && last.Verdict == wire.TickSkipped && strings.HasPrefix(last.Reason, "Paused by budget") && all.Failed == 0
	})
	more := *cfg.Spend.Pool
	more.Tokens = 50_000_000
	cfg.Version, cfg.Spend.Pool = 3, &more
	h.push(cfg)
	beat("nobody is paused", func(b wire.Heartbeat) bool { return b.ConfigVersion == 3 && len(b.Paused) == 0 })
	if run := h.ended(h.say("Hello again")); run.State != wire.RunDone {
		t.Errorf("with a larger pool the run is %s: %+v", run.State, run.Error)
	}
}
