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
		for _, d := range tm.Tools(team.View{Agent: agent}) {
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
		layers, err := tm.Explain(team.View{Agent: c.agent}, c.tool)
		if err != nil {
			t.Fatal(err)
		}
		last := layers[len(layers)-1]
		if last.Keep || last.Name != c.layer || !strings.Contains(last.Why, c.why) {
			t.Errorf("%s: %+v", name, layers)
		}
		if ok, why := tm.Visible(team.View{Agent: c.agent}, c.tool); ok || why != last.Why {
			t.Errorf("%s: visible %v, %q", name, ok, why)
		}
	}
	layers, err := tm.Explain(team.View{Agent: "it-admin"}, "file_read")
	if err != nil || len(layers) != 10 || !layers[8].Keep {
		t.Errorf("a visible tool passes ten layers: %+v, %v", layers, err)
	}
	if _, err := tm.Explain(team.View{Agent: "nobody"}, "shell"); !errors.Is(err, team.ErrUnknown) {
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

// TestLoad_broken: an agent whose files are wrong says what is wrong, and the others work.
func TestLoad_broken(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agents")
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	for agent, c := range map[string]struct{ text, why string }{
		"one": {"name: One\nprofile: huge\n", `profile "huge"`}, "two": {"profile: full\ntools: {deny: [\"group:moon\"]}\n", "group:moon"},
		"three": {"name: x\nprofile: full\nshoes: red\n", "shoes"}, "four": {"name: [", "from line 1 on it is not YAML"},
		"large": {strings.Repeat("#", 70<<10), "larger than"}, "Bad_Name": {"name: x\nprofile: full\n", "no agent can have"},
		"nameless": {"profile: full\n", "has no name"},
	} {
		writeFile(t, filepath.Join(dir, agent, "template.yaml"), c.text)
		tm, err := team.Load(dir, defs(), nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(tm.Broken(), func(b team.Broken) bool { return b.ID == agent })
		if i < 0 || !strings.Contains(tm.Broken()[i].Why, c.why) || strings.Contains(tm.Broken()[i].Why, dir) {
			t.Errorf("%s: %+v", agent, tm.Broken())
		}
		_, err = tm.Agent(agent)
		if !errors.Is(err, team.ErrBroken) || len(tm.Agents()) != 3 || len(tm.Tools(team.View{Agent: agent})) != 0 {
			t.Errorf("%s: %v, %d agents", agent, err, len(tm.Agents()))
		}
	}
	soul := filepath.Join(dir, "secretary", "SOUL.md") // a file that cannot be read
	if err := errors.Join(os.Remove(soul), os.Mkdir(soul, 0o700)); err != nil {
		t.Fatal(err)
	}
	tm, err := team.Load(dir, defs(), nil)
	if err != nil || len(tm.Agents()) != 2 {
		t.Fatalf("%v, %v", tm.Agents(), err)
	}
	if _, err := tm.Agent("secretary"); !strings.Contains(err.Error(), "SOUL.md: it is no plain file") {
		t.Error(err)
	}
	if err := team.Install(dir); err == nil || !strings.Contains(err.Error(), "secretary") { // and the others are ready
		t.Error(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
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

// TestShipped: each template works on its own, and is told to people in full.
func TestShipped(t *testing.T) {
	t.Parallel()
	ids, err := team.Shipped().IDs()
	want := []string{"dispatcher", "generalist", "it-admin", "marketing", "sales", "secretary", "social"}
	if err != nil || !slices.Equal(ids, want) {
		t.Fatalf("%v, %v", ids, err)
	}
	for _, id := range ids {
		files, err := team.Shipped().Files(id)
		if err != nil {
			t.Fatal(err)
		}
		a, err := team.Describe(id, files)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		full := a.Name != "" && a.Role != "" && a.Emoji != "" && a.Description != "" && a.Category != ""
		if !full || len(a.Starters) < 3 || len(a.Needs) == 0 || len(files) < 5 {
			t.Errorf("%s is thin: %+v", id, a)
		}
		for _, line := range []string{"IDENTITY.md", "SOUL.md", "AGENTS.md", "TOOLS.md"} {
			if !strings.HasSuffix(files[line], "\n") {
				t.Errorf("%s/%s does not end with a line", id, line)
			}
		}
	}
}
