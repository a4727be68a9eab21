package team_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// everything is a team with one agent that has every tool, one with also_allow beyond its profile, and one with all three lists.
func everything(t testing.TB) *team.Team {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agents")
	for id, text := range map[string]string{
		"all":    "profile: full",
		"adds":   "profile: minimal\ntools: {also_allow: [shell, message]}",
		"narrow": "profile: full\ntools: {allow: [group:fs, message], also_allow: [shell], deny: [file_delete]}",
	} {
		if err := os.MkdirAll(filepath.Join(dir, id), 0o700); err != nil {
			t.Fatal(err)
		}
		text = "type: own\nname: N\ndescription: D\n" + text + "\n"
		for name, b := range map[string]string{"template.yaml": text, "IDENTITY.md": "You are N."} {
			if err := os.WriteFile(filepath.Join(dir, id, name), []byte(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tm, err := team.Load(dir, defs(), nil)
	if err != nil || len(tm.Agents()) != 3 {
		t.Fatalf("%+v, %v", tm, err)
	}
	return tm
}

// TestSee_layers: each layer alone, and those that meet: the first in their order is named, and none gives back what another took.
func TestSee_layers(t *testing.T) {
	t.Parallel()
	tm := everything(t)
	shell := []string{"shell"}
	for name, c := range map[string]struct {
		v     team.View
		tool  string
		layer string // empty: it is visible
	}{
		"everything":                   {team.View{Agent: "all"}, "shell", ""},
		"no such tool":                 {team.View{Agent: "all"}, "teleport", "installed"},
		"profile":                      {team.View{Agent: "adds"}, "file_read", "profile"},
		"also_allow adds":              {team.View{Agent: "adds"}, "shell", ""},
		"asks":                         {team.View{Agent: "narrow", Asks: true}, "agent_dispatch", ""},
		"asks nobody":                  {team.View{Agent: "narrow"}, "agent_dispatch", "allow"},
		"weak model":                   {team.View{Agent: "all", Model: "vendor/llama-3.1-8b-instruct"}, "shell", "model"},
		"weak model, what it keeps":    {team.View{Agent: "all", Model: "gemma2:9b"}, "file_read", ""},
		"weak model over also_allow":   {team.View{Agent: "adds", Model: "gpt-4.1-nano"}, "shell", "model"},
		"weak model names no provider": {team.View{Agent: "all", Model: "GPT-4.1-NANO"}, "shell", "model"},
		"another model":                {team.View{Agent: "all", Model: "mixtral-8x7b"}, "shell", ""},
		"a word within a word":         {team.View{Agent: "all", Model: "nanotech-70b"}, "shell", ""},
		"allow list":                   {team.View{Agent: "narrow"}, "agent_dispatch", "allow"},
		"allow list with also_allow":   {team.View{Agent: "narrow"}, "shell", ""},
		"denied for all":               {team.View{Agent: "all", Denied: shell}, "shell", "global"},
		"denied for all, another":      {team.View{Agent: "all", Denied: shell}, "message", ""},
		"denied for all over adds":     {team.View{Agent: "adds", Denied: shell}, "shell", "global"},
		"denied for all over asks": {
			team.View{Agent: "narrow", Asks: true, Denied: []string{"agent_dispatch"}}, "agent_dispatch", "global",
		},
		"denied for all before its own": {team.View{Agent: "narrow", Denied: []string{"file_delete"}}, "file_delete", "global"},
		"its own deny list":             {team.View{Agent: "narrow"}, "file_delete", "deny"},
		"sandbox, people":               {team.View{Agent: "all", Sandboxed: true}, "message", "sandbox"},
		"sandbox, colleagues":           {team.View{Agent: "all", Sandboxed: true, Asks: true}, "agent_dispatch", "sandbox"},
		"sandbox, commands":             {team.View{Agent: "all", Sandboxed: true}, "shell", ""},
		"sandbox, files":                {team.View{Agent: "narrow", Sandboxed: true}, "file_write", ""},
		"owner's own message":           {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByOwner}, "shell", ""},
		"a member's":                    {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByMember}, "shell", "owner"},
		"a program's":                   {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByProgram}, "shell", "owner"},
		"from outside":                  {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByOutside}, "shell", "owner"},
		"a schedule's":                  {team.View{Agent: "all", OwnerOnly: shell, Origin: team.BySchedule}, "shell", "owner"},
		"a hook's":                      {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByHook}, "shell", "owner"},
		"a report":                      {team.View{Agent: "all", OwnerOnly: shell, Origin: team.ByReport}, "shell", "owner"},
		"of nobody known":               {team.View{Agent: "all", OwnerOnly: shell}, "shell", "owner"},
		"all at once": {
			team.View{Agent: "all", Model: "x-1b", Denied: shell, Sandboxed: true, OwnerOnly: shell}, "shell", "model",
		},
		"sandbox before owner": {
			team.View{Agent: "all", Sandboxed: true, OwnerOnly: []string{"message"}, Origin: team.ByHook}, "message", "sandbox",
		},
	} {
		layers, err := tm.Explain(c.v, c.tool)
		if err != nil {
			t.Fatal(err)
		}
		last := layers[len(layers)-1]
		if last.Keep != (c.layer == "") || c.layer != "" && last.Name != c.layer || last.Why == "" {
			t.Errorf("%s: %+v, want %q", name, last, c.layer)
		}
		if ok, why := tm.Visible(c.v, c.tool); ok != last.Keep || !ok && why != last.Why {
			t.Errorf("%s: visible %v, %q", name, ok, why)
		}
	}
}

// TestSee_narrows draws views, and narrows each further in every way: no tool comes back, each that is gone names a layer, and the
// three ways to ask say the same.
func TestSee_narrows(t *testing.T) {
	t.Parallel()
	tm := everything(t)
	var tools []string
	for _, d := range defs() {
		tools = append(tools, d.Name)
	}
	some := rapid.SliceOfDistinct(rapid.SampledFrom(tools), rapid.ID[string])
	rapid.Check(t, func(r *rapid.T) {
		v := team.View{
			Agent: rapid.SampledFrom([]string{"all", "adds", "narrow"}).Draw(r, "agent"),
			Model: rapid.SampledFrom([]string{"", "big", "tiny"}).Draw(r, "model"), Asks: rapid.Bool().Draw(r, "asks"),
			Sandboxed: rapid.Bool().Draw(r, "sandboxed"), Origin: rapid.SampledFrom(team.Origins()).Draw(r, "origin"),
			Denied: some.Draw(r, "denied"), OwnerOnly: some.Draw(r, "owner only"),
		}
		seen := names(tm, v)
		more := rapid.SampledFrom(tools).Draw(r, "more")
		for what, narrower := range map[string]func(*team.View){
			"denied": func(v *team.View) { v.Denied = append(slices.Clone(v.Denied), more) },
			"owner":  func(v *team.View) { v.OwnerOnly = append(slices.Clone(v.OwnerOnly), more) },
			"box":    func(v *team.View) { v.Sandboxed = true },
			"weak":   func(v *team.View) { v.Model = "tiny" },
			"asks":   func(v *team.View) { v.Asks = false },
			"origin": func(v *team.View) {
				if v.Origin == team.ByOwner {
					v.Origin = rapid.SampledFrom(team.Origins()).Draw(r, "later origin")
				}
			},
		} {
			next := v
			narrower(&next)
			for _, name := range names(tm, next) {
				if !slices.Contains(seen, name) {
					r.Fatalf("%s gives %s back: %+v", what, name, next)
				}
			}
		}
		for _, s := range tm.See(v) {
			layers, err := tm.Explain(v, s.Name)
			last := layers[len(layers)-1]
			if err != nil || s.Visible != last.Keep || s.Visible != (s.Layer == "") {
				r.Fatalf("%+v, but %+v, %v", s, last, err)
			}
			if !s.Visible && (s.Layer != last.Name || s.Why != last.Why) {
				r.Fatalf("%+v, but %+v", s, last)
			}
			if s.Visible != slices.Contains(seen, s.Name) {
				r.Fatalf("%s is in one answer alone", s.Name)
			}
		}
	})
}

func names(tm *team.Team, v team.View) (all []string) {
	for _, d := range tm.Tools(v) {
		all = append(all, d.Name)
	}
	return all
}

// TestOriginOf: only what the hub knows an owner wrote, signed in, is the owner's.
func TestOriginOf(t *testing.T) {
	t.Parallel()
	for want, all := range map[team.Origin][]wire.Origin{
		team.ByOwner:    {{Channel: "portal", Role: "owner"}},
		team.ByMember:   {{Channel: "portal", Role: "member"}, {Channel: "portal"}, {Channel: "portal", Role: "OWNER"}},
		team.ByProgram:  {{Channel: "api", Role: "owner"}, {Channel: "api", Role: "owner", Report: true}},
		team.BySchedule: {{Channel: "schedule", Role: "owner"}},
		team.ByHook:     {{Channel: "webhook", Role: "owner"}},
		team.ByReport:   {{Channel: "portal", Role: "owner", Report: true}},
		team.ByOutside:  {{Channel: "telegram", Known: true, Role: "owner"}, {Channel: "email", Owner: true}, {Role: "owner"}, {}},
		team.ByStranger: {{Channel: "telegram", Role: "owner"}, {Channel: "email", Email: "owner@example.com"}},
	} {
		for _, o := range all {
			if got := team.OriginOf(o); got != want {
				t.Errorf("%+v is %s, want %s", o, got, want)
			}
		}
	}
}
