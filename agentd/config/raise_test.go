package config_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/config"
	"gatehouse/agentd/wire"
)

func TestRaises(t *testing.T) {
	t.Parallel()
	base := wire.Config{Version: 1, DefaultLevel: 2, Inside: []string{"owner@example.com"}, Agents: map[string]wire.AgentConfig{
		"a": {Level: 1, Unlocked: []string{"message"}}, "b": {Off: true}, "c": {Level: 3},
	}}
	for name, tc := range map[string]struct {
		next wire.Config
		want string
	}{
		"the same": {base, ""},
		"all less": {wire.Config{DefaultLevel: 1, Agents: map[string]wire.AgentConfig{
			"a": {Level: 1, Off: true},
			"b": {Off: true}, "c": {Level: 2},
		}}, ""},
		"usual level": {with(base, func(c *wire.Config) { c.DefaultLevel = 3 }), "autonomy {Agent: Level:3}"},
		"own level": {with(base, func(c *wire.Config) {
			c.Agents["a"] = wire.AgentConfig{
				Level:    2,
				Unlocked: []string{"message"},
			}
		}), "autonomy {Agent:a Level:2}"},
		"own level taken away": {
			with(base, func(c *wire.Config) { c.Agents["a"] = wire.AgentConfig{Unlocked: []string{"message"}} }),
			"autonomy {Agent:a Level:0}",
		},
		"agent forgotten": {with(base, func(c *wire.Config) { delete(c.Agents, "a") }), "autonomy {Agent:a Level:0}"},
		"unlock": {
			with(base, func(c *wire.Config) { c.Agents["c"] = wire.AgentConfig{Level: 3, Unlocked: []string{"x"}} }),
			"unlock {Agent:c Tool:x}",
		},
		"on": {with(base, func(c *wire.Config) { c.Agents["b"] = wire.AgentConfig{} }), "agent.on {Agent:b}"},
		"inside": {
			with(base, func(c *wire.Config) { c.Inside = []string{"OWNER@example.com", "x@evil.example"} }),
			"inside x@evil.example",
		},
		"a first denial":      {with(base, func(c *wire.Config) { c.Tools.Denied = []string{"shell"} }), ""},
		"for the owner alone": {with(base, func(c *wire.Config) { c.Tools.OwnerOnly = []string{"shell"} }), ""},
		"into the sandbox":    {with(base, func(c *wire.Config) { c.Agents["c"] = wire.AgentConfig{Level: 3, Sandboxed: true} }), ""},
		"beyond the pool":     {with(base, func(c *wire.Config) { c.Spend.Beyond = true }), "overage {On:true}"},
		"a first budget":      {with(base, func(c *wire.Config) { c.Spend.Day = 5000 }), ""},
		"notes to a model": {
			with(base, func(c *wire.Config) { c.Spend.Embeddings = "vectors" }), "memory.embeddings {Model:vectors}",
		},
		"a preset": {with(base, func(c *wire.Config) {
			c.Agents["c"] = wire.AgentConfig{
				Level: 3,
				Model: wire.PresetComplex,
			}
		}), ""},
		"a premium model": {
			with(base, func(c *wire.Config) { c.Agents["c"] = wire.AgentConfig{Level: 3, Model: "gold"} }),
			"agent.model {Agent:c Model:gold}",
		},
		"an agent's budget": {with(base, func(c *wire.Config) { c.Agents["c"] = wire.AgentConfig{Level: 3, Day: 10} }), ""},
		"several": {with(base, func(c *wire.Config) {
			c.DefaultLevel = 3
			c.Agents["b"] = wire.AgentConfig{Unlocked: []string{"y"}}
		}), "autonomy {Agent: Level:3} unlock {Agent:b Tool:y} agent.on {Agent:b}"},
	} {
		var got []string
		for _, r := range config.StateOf(base).Raises(tc.next) {
			got = append(got, fmt.Sprintf("%s %+v", r.Kind, r.Body))
			if r.Says == "" {
				t.Errorf("%s: no words", name)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestBegins: an agent that the owner made stands at the lowest level although the settings name none for it, also after the next
// version; what gives it a higher one is a raise that is signed, even when it stays below the usual level.
func TestBegins(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	signed := powers{"autonomy {Agent: Level:3}": true}
	w.RequirePowers(signed)
	w.Begins("made")
	level := func(v int64, set map[string]wire.AgentConfig, want int, legal bool) {
		t.Helper()
		s := w.apply(t, wire.Config{Version: v, DefaultLevel: 3, Agents: set})
		if legal != (s.Error == "") || w.State().Level("made") != want || w.State().Level("other") != 3 {
			t.Errorf("version %d: %+v, level %d", v, s, w.State().Level("made"))
		}
	}
	none := map[string]wire.AgentConfig{}
	usual, two := map[string]wire.AgentConfig{"made": {}}, map[string]wire.AgentConfig{"made": {Level: 2}}
	level(1, none, 1, true)
	level(2, two, 1, false)
	level(3, usual, 1, false)
	signed["autonomy {Agent:made Level:2}"] = true
	level(4, two, 2, true)
	level(5, none, 1, true)
	signed["autonomy {Agent:made Level:0}"] = true
	level(6, usual, 3, true)
}

// TestRaises_tools: what gives tools back is a raise, one for each tool, and what takes more away beside it is none.
func TestRaises_tools(t *testing.T) {
	t.Parallel()
	base := wire.Config{
		Version: 1, DefaultLevel: 2, Tools: wire.ToolLimits{Denied: []string{"message", "shell"}, OwnerOnly: []string{"file_delete"}},
		Agents: map[string]wire.AgentConfig{"a": {Sandboxed: true}},
	}
	for name, tc := range map[string]struct {
		change func(*wire.Config)
		want   string
	}{
		"one is back":     {func(c *wire.Config) { c.Tools.Denied = []string{"shell"} }, "tool.back {Tool:message}"},
		"both are back":   {func(c *wire.Config) { c.Tools.Denied = nil }, "tool.back {Tool:message} tool.back {Tool:shell}"},
		"one for another": {func(c *wire.Config) { c.Tools.Denied = []string{"file_read", "shell"} }, "tool.back {Tool:message}"},
		"for all again":   {func(c *wire.Config) { c.Tools.OwnerOnly = nil }, "tool.for_all {Tool:file_delete}"},
		"out of the box":  {func(c *wire.Config) { c.Agents["a"] = wire.AgentConfig{} }, "agent.unboxed {Agent:a}"},
		"agent forgotten": {func(c *wire.Config) { delete(c.Agents, "a") }, "agent.unboxed {Agent:a}"},
		"everything again": {
			func(c *wire.Config) { c.Tools = wire.ToolLimits{} },
			"tool.back {Tool:message} tool.back {Tool:shell} tool.for_all {Tool:file_delete}",
		},
	} {
		next := with(base, tc.change)
		var got, hub []string
		for _, r := range config.StateOf(base).Raises(next) {
			got = append(got, fmt.Sprintf("%s %+v", r.Kind, r.Body))
		}
		for _, r := range wire.Raises(base, next) {
			hub = append(hub, fmt.Sprintf("%s %+v", r.Kind, r.Body))
		}
		if strings.Join(got, " ") != tc.want || strings.Join(hub, " ") != tc.want {
			t.Errorf("%s: %q, at the hub %q, want %q", name, got, hub, tc.want)
		}
	}
	if err := config.Check(wire.Config{DefaultLevel: 2, Tools: wire.ToolLimits{Denied: []string{"group:fs"}}}); err == nil {
		t.Error("a list may name what is no tool, and would narrow nothing")
	}
}

// TestRaises_budget: a budget that rises or goes is a raise, one that falls is none.
func TestRaises_budget(t *testing.T) {
	t.Parallel()
	base := wire.Config{
		Version: 1, DefaultLevel: 2, Spend: wire.Spend{Day: 5000, Beyond: true, Embeddings: "vectors"},
		Agents: map[string]wire.AgentConfig{"a": {Day: 1000, Model: "gold"}},
	}
	for name, tc := range map[string]struct {
		change func(*wire.Config)
		want   string
	}{
		"less": {func(c *wire.Config) { c.Spend.Day = 4000; c.Agents["a"] = wire.AgentConfig{Day: 900} }, ""},
		"notes to another model": {
			func(c *wire.Config) { c.Spend.Embeddings = "others" }, "memory.embeddings {Model:others}",
		},
		"notes to no model": {func(c *wire.Config) { c.Spend.Embeddings = "" }, ""},
		"no overage":        {func(c *wire.Config) { c.Spend.Beyond = false }, ""},
		"more":              {func(c *wire.Config) { c.Spend.Day = 5001 }, "budget {Agent: Tokens:5001}"},
		"none":              {func(c *wire.Config) { c.Spend.Day = 0 }, "budget {Agent: Tokens:0}"},
		"agent, more": {
			func(c *wire.Config) { c.Agents["a"] = wire.AgentConfig{Day: 1001, Model: "gold"} },
			"budget {Agent:a Tokens:1001}",
		},
		"agent, none": {func(c *wire.Config) { delete(c.Agents, "a") }, "budget {Agent:a Tokens:0}"},
		"another premium": {
			func(c *wire.Config) { c.Agents["a"] = wire.AgentConfig{Day: 1000, Model: "silver"} },
			"agent.model {Agent:a Model:silver}",
		},
	} {
		next := with(base, tc.change)
		var here, hub []string
		for _, r := range config.StateOf(base).Raises(next) {
			here = append(here, fmt.Sprintf("%s %+v", r.Kind, r.Body))
		}
		for _, r := range wire.Raises(base, next) {
			hub = append(hub, fmt.Sprintf("%s %+v", r.Kind, r.Body))
		}
		if strings.Join(here, " ") != tc.want || strings.Join(hub, " ") != tc.want {
			t.Errorf("%s: the server says %q, the hub %q, want %q", name, here, hub, tc.want)
		}
	}
}

func with(c wire.Config, change func(*wire.Config)) wire.Config {
	agents := map[string]wire.AgentConfig{}
	for id, a := range c.Agents {
		agents[id] = a
	}
	c.Agents = agents
	change(&c)
	return c
}

// powers allows what was signed for.
type powers map[string]bool

func (p powers) Raise(_ context.Context, _ *sql.Tx, r config.Raise, _ wire.Config) (config.Proof, error) {
	if p[fmt.Sprintf("%s %+v", r.Kind, r.Body)] {
		return config.Proof{KeyID: "key"}, nil
	}
	return config.Proof{}, errors.New("nobody signed")
}

// TestApply_raisesAreSigned delivers versions in any order: none that raises something unsigned is ever in force, and
// one that only takes away always is.
func TestApply_raisesAreSigned(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		w := open(t, filepath.Join(dir, fmt.Sprint(n)))
		defer func() { _ = w.db.Close() }()
		signed := powers{}
		w.RequirePowers(signed)
		for v := int64(1); v <= 8; v++ {
			before := w.State()
			cfg := wire.Config{Version: v, DefaultLevel: rapid.IntRange(1, 3).Draw(r, "level"), Agents: map[string]wire.AgentConfig{}}
			for _, id := range []string{"a", "b"} {
				cfg.Agents[id] = wire.AgentConfig{
					Level: rapid.IntRange(0, 3).Draw(r, "own"), Off: rapid.Bool().Draw(r, "off"),
					Unlocked: rapid.SampledFrom([][]string{nil, {"x"}, {"x", "y"}}).Draw(r, "unlocked"),
				}
			}
			clear(signed)
			legal := true
			for _, raise := range before.Raises(cfg) {
				ok := rapid.Bool().Draw(r, "signed")
				signed[fmt.Sprintf("%s %+v", raise.Kind, raise.Body)] = ok
				legal = legal && ok
			}
			state := w.apply(r, cfg)
			if now := w.State().Version(); legal != (now == v) || legal != (state.Error == "") {
				r.Fatalf("version %d in force after %d (legal: %v, reported %+v)", now, v, legal, state)
			}
		}
	})
}

// TestApply_insideIsSigned: an address that nobody has signed for stays outside, whatever else the version says, and
// however often it comes again; one that was inside stays, and one that was signed for comes in.
func TestApply_insideIsSigned(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	signed := powers{"inside owner@example.com": true}
	w.RequirePowers(signed)
	push := func(v int64, inside ...string) {
		t.Helper()
		if s := w.apply(t, wire.Config{
			Version: v, DefaultLevel: 2, TimeZone: fmt.Sprintf("Etc/GMT-%d", v),
			Inside: inside,
		}); s.Error != "" || s.Version != v {
			t.Fatalf("version %d: %+v", v, s)
		}
	}
	for v, inside := range [][]string{
		{"owner@example.com"},
		{"OWNER@example.com", "x@evil.example"},
		{"x@evil.example", "owner@example.com"},
	} {
		push(int64(v+1), inside...)
		clear(signed)
		if s := w.State(); !s.Has("owner@example.com") || s.Has("x@evil.example") || len(s.Config().Inside) != 1 {
			t.Fatalf("version %d has %v inside", v+1, s.Config().Inside)
		}
	}
	signed["inside x@evil.example"] = true
	push(4, "owner@example.com", "x@evil.example")
	push(5, "x@evil.example")
	if s := w.State(); s.Has("owner@example.com") || !s.Has("x@evil.example") {
		t.Fatalf("%v inside", s.Config().Inside)
	}
}
