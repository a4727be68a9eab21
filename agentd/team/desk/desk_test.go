package desk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// TestLibrary: an agent comes out of the library with the owner's signature, goes away with its files and comes back, and the team
// knows at once. Nothing happens without a signature, nothing twice, and each act is on record.
func TestLibrary(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := []string{"dispatcher", "it-admin", "secretary"}
	if len(w.library().Items) != 7 || !slices.Equal(w.ids(), first) {
		t.Fatalf("%d templates, %v", len(w.library().Items), w.ids())
	}
	social := w.template("social")
	if social.State != wire.TeamWaiting || len(social.Starters) == 0 || social.Needs[0].Missing != "" || social.Needs[2].Missing == "" {
		t.Fatalf("%+v", social)
	}
	install := w.signed(wire.TeamAct{Do: wire.TeamDoInstall, Agent: "social", Seen: social.Seen})
	unsigned := install
	unsigned.Signature = nil
	if _, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, unsigned); code(err) != "signature_required" || len(w.ids()) != 3 {
		t.Fatalf("unsigned: %v", err)
	}
	other := install
	other.Act.Agent = "sales" // signed for another one
	other.Act.Seen = w.template("sales").Seen
	if _, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, other); code(err) != "signature_required" || len(w.ids()) != 3 {
		t.Fatalf("signed for another: %v", err)
	}
	for range 2 { // the second is the first again
		done, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, install)
		if err != nil || done.State != wire.TeamAtWork || w.changed != 1 || w.receipts() != 1 {
			t.Fatalf("%+v, %v, %d, %d", done, err, w.changed, w.receipts())
		}
	}
	if !slices.Equal(w.ids(), append(first, "social")) || !strings.Contains(w.live.Agents()[0].Prompt, "social (Social media)") {
		t.Errorf("the team is %v", w.ids())
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoInstall, Agent: "social", Seen: social.Seen}); code(err) != "conflict" {
		t.Errorf("installed twice: %v", err)
	}
	w.write("social/SOUL.md", "You hum.\n")
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: "social", Seen: social.Seen}); code(err) != "conflict" {
		t.Errorf("changed meanwhile: %v", err)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: "social", Seen: w.member("social").Seen}); err != nil {
		t.Fatal(err)
	}
	if away := w.template("social"); away.State != wire.TeamArchived || !slices.Equal(w.ids(), first) {
		t.Fatalf("%+v, %v", away, w.ids())
	}
	if _, err := w.live.Agent("social"); !errors.Is(err, team.ErrUnknown) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoInstall, Agent: "social", Seen: social.Seen}); code(err) != "conflict" {
		t.Errorf("installed over one that was put away: %v", err)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoRestore, Agent: "social", Seen: w.template("social").Seen}); err != nil {
		t.Fatal(err)
	}
	if a, err := w.live.Agent("social"); err != nil || !strings.Contains(a.Prompt, "You hum.") || w.receipts() != 3 {
		t.Errorf("%q, %v, %d receipts", a.Prompt, err, w.receipts())
	}
}

func TestChange_refused(t *testing.T) {
	t.Parallel()
	w := open(t)
	before := tree(t, w.folders.Dir)
	seen, current := w.member("dispatcher").Seen, w.member("secretary").Seen
	for name, c := range map[string]struct {
		act  wire.TeamAct
		code string
	}{
		"nothing":        {wire.TeamAct{}, "bad_request"},
		"unknown":        {wire.TeamAct{Do: "promote", Agent: "secretary"}, "bad_request"},
		"id":             {wire.TeamAct{ID: "x", Do: wire.TeamDoArchive, Agent: "secretary"}, "bad_request"},
		"no template":    {wire.TeamAct{Do: wire.TeamDoInstall, Agent: "gardener"}, "not_found"},
		"no agent":       {wire.TeamAct{Do: wire.TeamDoArchive, Agent: "gardener"}, "not_found"},
		"a way out":      {wire.TeamAct{Do: wire.TeamDoArchive, Agent: "../state"}, "not_found"},
		"a hidden one":   {wire.TeamAct{Do: wire.TeamDoArchive, Agent: ".archive"}, "not_found"},
		"front desk":     {wire.TeamAct{Do: wire.TeamDoArchive, Agent: "dispatcher", Seen: seen}, "conflict"},
		"not put away":   {wire.TeamAct{Do: wire.TeamDoRestore, Agent: "secretary"}, "conflict"},
		"another text":   {wire.TeamAct{Do: wire.TeamDoInstall, Agent: "sales", Seen: "x"}, "conflict"},
		"not waiting":    {wire.TeamAct{Do: wire.TeamDoUpdate, Agent: "secretary", Seen: current, File: "SOUL.md", Text: "x"}, "conflict"},
		"holds a secret": {wire.TeamAct{Do: wire.TeamDoUpdate, Agent: "secretary", Text: "password: hunter2hunter2"}, "bad_request"},
	} {
		if _, err := w.act(c.act); code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !same(before, tree(t, w.folders.Dir)) || w.receipts() != 0 {
		t.Error("something was changed")
	}
}

// TestUpdate: what the owner has edited changes only with the owner's decision, with both texts in view.
func TestUpdate(t *testing.T) {
	t.Parallel()
	w := open(t)
	dir := w.dir
	shipped, err := team.Shipped().Files("secretary")
	if err != nil {
		t.Fatal(err)
	}
	w.write("secretary/SOUL.md", shipped["SOUL.md"]+"You rhyme.\n")
	later := shelf(map[string]string{
		"secretary/SOUL.md": "You are quick.\n" + shipped["SOUL.md"], "secretary/TOOLS.md": shipped["TOOLS.md"] + "- More.\n",
	})
	w.boot(dir, later)
	if a, _ := w.live.Agent("secretary"); !strings.Contains(a.Prompt, "- More.") || strings.Contains(a.Prompt, "You are quick.") {
		t.Errorf("after the start: %q", a.Prompt)
	}
	m := w.member("secretary")
	if !w.template("secretary").Update || len(m.Updates) != 1 || m.Updates[0].Conflicts != 0 || m.Updates[0].Name != "SOUL.md" {
		t.Fatalf("%+v", m)
	}
	merged := m.Updates[0].Merged
	update := wire.TeamAct{Do: wire.TeamDoUpdate, Agent: "secretary", File: "SOUL.md", Seen: m.Seen, Text: merged}
	marks := update
	marks.Text = "<<<<<<< yours\na\n=======\nb\n>>>>>>> template\n"
	if _, err := w.act(marks); code(err) != "bad_request" {
		t.Errorf("marks: %v", err)
	}
	hidden := update
	hidden.Text = "The door opens with [REDACTED:password].\n" // as the page shows a line that it may not show
	if _, err := w.act(hidden); code(err) != "bad_request" || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("hidden: %v", err)
	}
	long := update
	long.Text = strings.Repeat("You rhyme.\n", 2000)
	if _, err := w.act(long); code(err) != "bad_request" {
		t.Errorf("long: %v", err)
	}
	if _, err := w.act(update); err != nil {
		t.Fatal(err)
	}
	a, err := w.live.Agent("secretary")
	if err != nil || !strings.Contains(a.Prompt, "You are quick.") || !strings.Contains(a.Prompt, "You rhyme.") {
		t.Errorf("%q, %v", a.Prompt, err)
	}
	m = w.member("secretary")
	if len(m.Updates) != 0 || w.template("secretary").Update {
		t.Errorf("it waits still: %+v", m.Updates)
	}
	if i := slices.IndexFunc(m.Files, func(f wire.TeamFile) bool { return f.Name == "SOUL.md" }); !m.Files[i].Edited {
		t.Error("what the owner added does not count as edited")
	}
}

// TestBroken: an agent whose description was broken by hand is shown with the reason, can be put away, and comes back when it is right.
func TestBroken(t *testing.T) {
	t.Parallel()
	w := open(t)
	dir := w.dir
	w.write("secretary/template.yaml", "name: [\n")
	w.boot(dir, shelf(nil))
	if len(w.live.Broken()) != 1 || !slices.Equal(w.ids(), []string{"dispatcher", "it-admin"}) {
		t.Fatalf("%+v", w.live.Broken())
	}
	m := w.member("secretary")
	if m.Broken == "" || w.template("secretary").State != wire.TeamAtWork {
		t.Errorf("%+v", m)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: "secretary", Seen: m.Seen}); err != nil {
		t.Fatal(err)
	}
	soul := filepath.Join(w.folders.Dir, "it-admin", "SOUL.md") // unreadable, for whoever agentd is
	if err := errors.Join(os.Remove(soul), os.Symlink("SOUL.md", soul)); err != nil {
		t.Fatal(err)
	}
	if m := w.member("it-admin"); m.Broken == "" || strings.Contains(m.Broken, w.dir) {
		t.Errorf("%+v", m)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: "it-admin"}); err != nil {
		t.Fatal(err)
	}
	if len(w.live.Broken()) != 0 || len(w.live.Agents()) != 1 {
		t.Errorf("%v, %+v", w.ids(), w.live.Broken())
	}
}
