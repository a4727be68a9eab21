package desk_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// gardener is the description of an agent that no library has.
func gardener() *wire.TeamAbout {
	return &wire.TeamAbout{
		Name: "Gardener", Role: "Looks after the plants", Emoji: "🌱", Description: "Knows when which plant wants water.",
		Starters: []string{"Which plants want water today?"}, Profile: "messaging", Without: []string{"message"},
	}
}

func tools(w *world, agent string) (names []string) {
	for _, d := range w.live.Tools(team.View{Agent: agent}) {
		names = append(names, d.Name)
	}
	return names
}

// TestCreate: an agent of the owner's own is there at once with the tools of its profile, begins at the lowest level before anybody
// can talk to it, and is on record. A copy has the files of the other, and never its tools beyond the profile.
func TestCreate(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoCreate, Agent: "gardener", About: gardener()}); err != nil {
		t.Fatal(err)
	}
	a, err := w.live.Agent("gardener")
	if err != nil || a.Name != "Gardener" || !strings.Contains(a.Prompt, "Knows when which plant wants water.") {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := tools(w, "gardener"); !slices.Equal(got, []string{"file_write"}) || !slices.Equal(w.begun, []string{"gardener"}) {
		t.Errorf("it has %v, and %v begin", got, w.begun)
	}
	if made, err := w.desk.Created(t.Context()); err != nil || !slices.Equal(made, []string{"gardener"}) || w.receipts() != 1 {
		t.Errorf("%v, %v, %d receipts", made, err, w.receipts())
	}
	if !strings.Contains(w.live.Agents()[0].Prompt, "gardener (Gardener)") {
		t.Error("the front desk does not know it")
	}
	w.write("it-admin/template.yaml", "name: IT\nprofile: messaging\ntools:\n  also_allow: [agent_dispatch]\n")
	about := gardener()
	about.Without = nil
	copied := wire.TeamAct{Do: wire.TeamDoCreate, Agent: "it-two", From: "it-admin", Seen: "x", About: about}
	if _, err := w.act(copied); code(err) != "conflict" {
		t.Errorf("a copy of what nobody saw: %v", err)
	}
	copied.Seen = w.member("it-admin").Seen
	if _, err := w.act(copied); err != nil {
		t.Fatal(err)
	}
	files, err := w.folders.Read("it-two")
	of, _ := w.folders.Read("it-admin")
	if err != nil || files["SOUL.md"] != of["SOUL.md"] || w.folders.Made("it-two") {
		t.Errorf("%v, %v", files.Names(), err)
	}
	if got := tools(w, "it-two"); !slices.Equal(got, []string{"file_write", "message"}) {
		t.Errorf("the copy has %v", got)
	}
	for range 2 { // it goes away and comes back as templates do
		if _, err := w.act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: "gardener", Seen: w.member("gardener").Seen}); err != nil {
			t.Fatal(err)
		}
		away := w.library().Archived
		if len(away) != 1 || away[0].Name != "Gardener" {
			t.Fatalf("%+v", away)
		}
		if _, err := w.act(wire.TeamAct{Do: wire.TeamDoRestore, Agent: "gardener", Seen: away[0].Seen}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCreate_refused(t *testing.T) {
	t.Parallel()
	w := open(t)
	before := tree(t, w.folders.Dir)
	with := func(fn func(*wire.TeamAbout)) *wire.TeamAbout { a := gardener(); fn(a); return a }
	for name, c := range map[string]struct {
		id, from string
		about    *wire.TeamAbout
		code     string
	}{
		"reserved":          {"library", "", gardener(), "bad_request"},
		"a way out":         {"../x", "", gardener(), "bad_request"},
		"hidden":            {".new", "", gardener(), "bad_request"},
		"taken":             {"secretary", "", gardener(), "conflict"},
		"in the library":    {"social", "", gardener(), "conflict"},
		"left over":         {"left", "", gardener(), "conflict"},
		"nothing to say":    {"gardener", "", nil, "bad_request"},
		"copy of nobody":    {"gardener", "nobody", gardener(), "not_found"},
		"no name":           {"gardener", "", with(func(a *wire.TeamAbout) { a.Name = " " }), "bad_request"},
		"two lines":         {"gardener", "", with(func(a *wire.TeamAbout) { a.Description = "a\nb" }), "bad_request"},
		"long":              {"gardener", "", with(func(a *wire.TeamAbout) { a.Role = strings.Repeat("ä", 121) }), "bad_request"},
		"no emoji":          {"gardener", "", with(func(a *wire.TeamAbout) { a.Emoji = "abc" }), "bad_request"},
		"no profile":        {"gardener", "", with(func(a *wire.TeamAbout) { a.Profile = "root" }), "bad_request"},
		"no tool":           {"gardener", "", with(func(a *wire.TeamAbout) { a.Without = []string{"group:fs"} }), "bad_request"},
		"too many starters": {"gardener", "", with(func(a *wire.TeamAbout) { a.Starters = make([]string, 7) }), "bad_request"},
		"holds a secret":    {"gardener", "", with(func(a *wire.TeamAbout) { a.Description = "password: hunter2hunter2" }), "bad_request"},
	} {
		if _, err := w.act(wire.TeamAct{Do: wire.TeamDoCreate, Agent: c.id, From: c.from, About: c.about}); code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !same(before, tree(t, w.folders.Dir)) || w.receipts() != 0 || len(w.begun) != 0 {
		t.Error("something was changed")
	}
}

// TestWrite: what the owner writes is in force at once, only over what the owner saw, and each text stays in the history with who
// wrote it; an earlier one comes back by being written again.
func TestWrite(t *testing.T) {
	t.Parallel()
	w := open(t)
	shipped, err := team.Shipped().Files("secretary")
	if err != nil {
		t.Fatal(err)
	}
	stale := w.member("secretary").Seen
	write := func(file, text string, about *wire.TeamAbout) error {
		_, err := w.act(wire.TeamAct{
			Do: wire.TeamDoWrite, Agent: "secretary", Seen: w.member("secretary").Seen, File: file, Text: text, About: about,
		})
		return err
	}
	if err := write("SOUL.md", "You **hum**.\r\n", nil); err != nil {
		t.Fatal(err)
	}
	if a, _ := w.live.Agent("secretary"); !strings.Contains(a.Prompt, "You **hum**.") {
		t.Error("it is not in force")
	}
	unseen := wire.TeamAct{Do: wire.TeamDoWrite, Agent: "secretary", Seen: stale, File: "SOUL.md", Text: "x"}
	if _, err := w.act(unseen); code(err) != "conflict" {
		t.Errorf("over what nobody saw: %v", err)
	}
	for name, c := range map[string]struct{ file, text, code string }{
		"the same": {"SOUL.md", "You **hum**.", "conflict"}, "no file": {"../SOUL.md", "x", "bad_request"},
		"hidden":              {"IDENTITY.md", "The door opens with [REDACTED:password].", "bad_request"},
		"description as text": {"template.yaml", "name: x", "bad_request"}, "long": {"SOUL.md", strings.Repeat("x", 17<<10), "bad_request"},
		"nobody": {"IDENTITY.md", " ", "bad_request"}, "secret": {"SOUL.md", "password: hunter2hunter2", "bad_request"},
	} {
		if err := write(c.file, c.text, nil); code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := w.member("secretary")
	about := *m.About
	about.Name, about.Without = "Clerk", append(about.Without, "message")
	if err := write("template.yaml", "", &about); err != nil {
		t.Fatal(err)
	}
	if a, _ := w.live.Agent("secretary"); a.Name != "Clerk" || slices.Contains(tools(w, "secretary"), "message") || len(a.Needs) == 0 {
		t.Errorf("%+v, %v", a, tools(w, "secretary"))
	}
	history := func(file string, version int64) wire.TeamHistory {
		p := wire.TeamHistoryParams{Agent: "secretary", File: file, Version: version}
		h, err := ask[wire.TeamHistory](w.server, wire.MethodTeamHistory, p)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	items := history("SOUL.md", 0).Items
	if len(items) != 2 || !items[0].Now || items[0].By != "owner@example.com" || items[1].By != "" || items[1].Now {
		t.Fatalf("%+v", items)
	}
	first := history("SOUL.md", items[1].Version)
	if first.Text != shipped["SOUL.md"] {
		t.Errorf("%q", first.Text)
	}
	if err := write("SOUL.md", first.Text, nil); err != nil || len(history("SOUL.md", 0).Items) != 3 {
		t.Errorf("restored: %v", err)
	}
	if h := history("template.yaml", history("template.yaml", 0).Items[1].Version); h.About == nil || h.About.Name == "Clerk" {
		t.Errorf("%+v", h)
	}
	for i := range 60 {
		if err := write("TOOLS.md", strings.Repeat("x", i+1), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(history("TOOLS.md", 0).Items); n != 50 {
		t.Errorf("%d versions are kept", n)
	}
	none := wire.TeamHistoryParams{Agent: "secretary", File: "SOUL.md", Version: 999}
	_, err = ask[wire.TeamHistory](w.server, wire.MethodTeamHistory, none)
	if code(err) != "not_found" {
		t.Errorf("no version: %v", err)
	}
}
