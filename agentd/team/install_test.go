package team_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"gatehouse/agentd/team"
)

const card = "name: Cook\nprofile: minimal\n"

// shelf is a library whose cook says what it is told.
func shelf(soul string, more ...string) team.Library {
	files := fstest.MapFS{
		"cook/template.yaml": {Data: []byte(card)}, "cook/SOUL.md": {Data: []byte(soul)},
		"dispatcher/template.yaml": {Data: []byte("name: Desk\nprofile: minimal\n")},
		"it-admin/template.yaml":   {Data: []byte("name: IT\nprofile: minimal\n")},
		"secretary/template.yaml":  {Data: []byte("name: S\nprofile: minimal\n")},
	}
	for _, name := range more {
		files["cook/"+name] = &fstest.MapFile{Data: []byte(name)}
	}
	return team.LibraryOf(files)
}

// cook is a folder of agents with the cook in the team, made of a template that says soul.
func cook(t *testing.T, soul string, more ...string) team.Folders {
	t.Helper()
	f := team.Folders{Dir: filepath.Join(t.TempDir(), "agents"), Library: shelf(soul, more...)}
	files, err := f.Library.Files("cook")
	if err := errors.Join(err, f.Ready(), f.Prepare("act", files, files), f.Put("act", "cook")); err != nil {
		t.Fatal(err)
	}
	return f
}

func (w folders) soul(t *testing.T) string {
	t.Helper()
	files, err := w.Read("cook")
	if err != nil {
		t.Fatal(err)
	}
	return files["SOUL.md"]
}

type folders struct{ team.Folders }

// TestReady_first: a server begins with three agents; the others wait. Without the front desk nobody could be talked to.
func TestReady_first(t *testing.T) {
	t.Parallel()
	f := cook(t, "You cook.\n")
	if err := os.RemoveAll(filepath.Join(f.Dir, "dispatcher")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(f.Dir, "secretary")); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	ids, err := f.Members()
	if err != nil || !slices.Equal(ids, []string{"dispatcher", "cook", "it-admin"}) {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestReady_update: a template that changes takes files along that nobody has edited; what the owner has edited waits, and with a
// decision it is up to date.
func TestReady_update(t *testing.T) {
	t.Parallel()
	f := cook(t, "You cook.\nYou are calm.\n", "TOOLS.md")
	f.Library = shelf("You cook well.\nYou are calm.\n", "TOOLS.md", "AGENTS.md")
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	if got := (folders{f}).soul(t); got != "You cook well.\nYou are calm.\n" {
		t.Errorf("not edited: %q", got)
	}
	writeFile(t, filepath.Join(f.Dir, "cook", "SOUL.md"), "You cook well.\nYou are calm.\nYou hum.\n")
	if err := os.Remove(filepath.Join(f.Dir, "cook", "TOOLS.md")); err != nil {
		t.Fatal(err)
	}
	if u, err := f.Updates("cook"); err != nil || len(u) != 0 {
		t.Errorf("before the template changes: %+v, %v", u, err)
	}
	f.Library = shelf("You cook very well.\nYou are calm.\n", "TOOLS.md")
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	files, err := f.Read("cook")
	if err != nil || files["SOUL.md"] != "You cook well.\nYou are calm.\nYou hum.\n" || len(files) != 2 {
		t.Errorf("edited: %q, %v", files, err)
	}
	u, err := f.Updates("cook")
	if err != nil || len(u) != 1 || u[0].Merged != "You cook very well.\nYou are calm.\nYou hum.\n" || u[0].Conflicts != 0 {
		t.Errorf("%+v, %v", u, err)
	}
	f.Library = shelf("You never cook.\nYou are calm.\n")
	writeFile(t, filepath.Join(f.Dir, "cook", "SOUL.md"), "You cook on Sundays.\nYou are calm.\n")
	if u, err = f.Updates("cook"); err != nil || len(u) != 1 || u[0].Conflicts != 1 {
		t.Errorf("both changed a line: %+v, %v", u, err)
	}
}

// TestReady_adopts: what an earlier version laid out is known by its sums. Nothing that the owner edited is overwritten, also when the
// sums are lost.
func TestReady_adopts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sums    func(path, text string) string
		text    string // as it stands
		want    string
		updates int
	}{
		"as it was":          {known, "You cook.\n", "You cook well.\n", 0},
		"edited":             {known, "You hum.\n", "You hum.\n", 1},
		"edited, no sums":    {nil, "You hum.\n", "You hum.\n", 1},
		"as it is shipped":   {nil, "You cook well.\n", "You cook well.\n", 0},
		"as it was, no sums": {nil, "You cook.\n", "You cook.\n", 1},
	} {
		f := team.Folders{Dir: filepath.Join(t.TempDir(), "agents"), Library: shelf("You cook well.\n")}
		old := map[string]string{"cook/SOUL.md": "You cook.\n", "cook/template.yaml": card}
		sums := map[string]string{}
		for path, text := range old {
			if c.sums != nil {
				sums[path] = c.sums(path, text)
			}
			writeFile(t, filepath.Join(f.Dir, path), text)
		}
		raw, err := json.Marshal(sums)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(f.Dir, ".installed.json"), string(raw))
		writeFile(t, filepath.Join(f.Dir, "cook", "SOUL.md"), c.text)
		for range 2 { // the second finds what the first has made
			if err := f.Ready(); err != nil {
				t.Fatal(err)
			}
		}
		u, err := f.Updates("cook")
		if got := (folders{f}).soul(t); got != c.want || err != nil || len(u) != c.updates {
			t.Errorf("%s: %q, updates %+v, %v", name, got, u, err)
		}
		if ids, err := f.Members(); err != nil || !slices.Equal(ids, []string{"dispatcher", "cook"}) {
			t.Errorf("%s: %v, %v", name, ids, err) // the others of that time were removed by the owner
		}
	}
}

func known(_, text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TestPut_repeated: what is cut off between two renames goes on.
func TestPut_repeated(t *testing.T) {
	t.Parallel()
	f := cook(t, "You cook.\n")
	files := team.Files{"template.yaml": card, "SOUL.md": "You hum.\n"}
	if err := f.Prepare("two", files, files); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(f.Dir, ".old"), 0o700),
		os.Rename(filepath.Join(f.Dir, "cook"), filepath.Join(f.Dir, ".old", "two"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Put("two", "cook"); err != nil {
			t.Fatal(err)
		}
		if got := (folders{f}).soul(t); got != "You hum.\n" {
			t.Errorf("%q", got)
		}
	}
	for range 2 {
		if err := f.Archive("cook"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Read("cook"); !errors.Is(err, team.ErrUnknown) {
		t.Error(err)
	}
	for range 2 {
		if err := f.Restore("cook"); err != nil {
			t.Fatal(err)
		}
	}
	if got := (folders{f}).soul(t); got != "You hum.\n" || !f.Made("cook") {
		t.Errorf("%q", got)
	}
}
