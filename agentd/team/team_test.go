package team_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
)

func defs() []tool.Definition {
	var all []tool.Definition
	for _, n := range []string{"shell", "file_read", "file_list", "file_write", "file_delete", "message", "agent_dispatch"} {
		all = append(all, tool.Definition{Name: n, Args: json.RawMessage(`{"type":"object"}`)})
	}
	return all
}

func load(t *testing.T, off map[string]string) *team.Team {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agents")
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	tm, err := team.Load(dir, defs(), off)
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

func TestTools_perAgent(t *testing.T) {
	t.Parallel()
	tm := load(t, nil)
	for agent, want := range map[string][]string{
		"dispatcher": {"agent_dispatch"},
		"it-admin":   {"file_delete", "file_list", "file_read", "file_write", "shell"},
		"secretary":  {"file_list", "file_read", "file_write", "message"},
	} {
		var got []string
		for _, d := range tm.Tools(agent) {
			got = append(got, d.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %v, want %v", agent, got, want)
		}
	}
}

func TestExplain_namesTheLayer(t *testing.T) {
	t.Parallel()
	tm := load(t, map[string]string{"shell": "no Landlock"})
	for name, c := range map[string]struct{ agent, tool, layer, why string }{
		"profile": {"dispatcher", "shell", "profile", "minimal"},
		"deny":    {"secretary", "file_delete", "deny", "deny list"},
		"machine": {"it-admin", "shell", "machine", "no Landlock"},
		"unknown": {"it-admin", "teleport", "installed", "no such tool"},
	} {
		layers, err := tm.Explain(c.agent, c.tool)
		if err != nil {
			t.Fatal(err)
		}
		last := layers[len(layers)-1]
		if last.Keep || last.Name != c.layer || !strings.Contains(last.Why, c.why) {
			t.Errorf("%s: %+v", name, layers)
		}
		if ok, why := tm.Visible(c.agent, c.tool); ok || why != last.Why {
			t.Errorf("%s: visible %v, %q", name, ok, why)
		}
	}
	layers, err := tm.Explain("it-admin", "file_read")
	if err != nil || len(layers) != 5 || !layers[4].Keep {
		t.Errorf("a visible tool passes five layers: %+v, %v", layers, err)
	}
	if _, err := tm.Explain("nobody", "shell"); !errors.Is(err, team.ErrUnknown) {
		t.Errorf("unknown agent: %v", err)
	}
}

func TestInstall_keepsTheOwnersEdits(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agents")
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	soul := filepath.Join(dir, "secretary", "SOUL.md")
	if err := os.WriteFile(soul, []byte("You rhyme."), 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "it-admin", "TOOLS.md")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(soul); err != nil || string(b) != "You rhyme." {
		t.Errorf("the edit is lost: %q, %v", b, err)
	}
	if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what the owner removed is back: %v", err)
	}
	tm, err := team.Load(dir, defs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tm.Agent("secretary")
	if err != nil || !strings.Contains(a.Prompt, "You rhyme.") {
		t.Errorf("prompt %q, %v", a.Prompt, err)
	}
}

func TestLoad_reportsEveryFault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for agent, text := range map[string]string{
		"one": "name: One\nprofile: huge\n", "two": "profile: full\ntools: {deny: [\"group:moon\"]}\n", "three": "name: x\nprofile: full\nshoes: red\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, agent), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, agent, "template.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := team.Load(dir, defs(), nil)
	for _, want := range []string{`profile "huge"`, "name is missing", "group:moon", "shoes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}

func TestAgents_dispatcherFirstAndKnowsTheOthers(t *testing.T) {
	t.Parallel()
	all := load(t, nil).Agents()
	if all[0].ID != team.Dispatcher || len(all) != 3 {
		t.Fatalf("agents %+v", all)
	}
	for _, want := range []string{"it-admin (IT admin)", "secretary (Secretary)"} {
		if !strings.Contains(all[0].Prompt, want) {
			t.Errorf("the dispatcher does not know %s", want)
		}
	}
	for _, a := range all {
		if len(a.Prompt) < 200 || len(a.Starters) == 0 || a.Emoji == "" || a.Description == "" {
			t.Errorf("%s is thin: %+v", a.ID, a)
		}
	}
}
