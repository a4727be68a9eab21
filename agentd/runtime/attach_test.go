package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	shelf "gatehouse/agentd/files"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/wire"
)

// shelfIn fills the data folder below dir, and gives the files in it as people reach them.
func shelfIn(t *testing.T, dir string, names ...string) runtime.Shelf {
	t.Helper()
	data := filepath.Join(dir, "data")
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(data, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{data, filepath.Join(dir, "state")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root, err := dataroot.Open(data, filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return shelf.New(shelf.Deps{Root: root})
}

// repeats answers with all that the person has said.
func repeats() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		var all []string
		for _, m := range o.Messages() {
			if m.Role == llm.User {
				all = append(all, m.Text)
			}
		}
		return say(strings.Join(all, "\n---\n"), text)
	}}
}

// TestAttach: the model reads the files of a message on a line of their own, also in later turns and after a restart, and
// the conversation names them.
func TestAttach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := options{model: repeats(), shelf: shelfIn(t, dir, "Uploads/2026-11/price list.txt", "b.txt")}
	storetest.Seed(t, filepath.Join(dir, "state"))
	s, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	m := message(t, id(t), "it-admin", "What does it cost?")
	m.Files = []string{"Uploads/2026-11/price list.txt", "b.txt"}
	s.post(t, m)
	const line = `[Attached by the person, paths in the data folder: "Uploads/2026-11/price list.txt", "b.txt"]`
	want := "What does it cost?\n\n" + line
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != want {
		t.Errorf("the model read %q", f.Text)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if s, err = open(dir, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	next := message(t, m.SessionID, "it-admin", "And now?")
	s.post(t, next)
	if f := data[wire.FinalData](t, s.watch.end(t, next.RunID)); !strings.HasPrefix(f.Text, want+"\n---\nAnd now?") {
		t.Errorf("a later turn read %q", f.Text)
	}
	got := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: m.SessionID})
	if len(got.Turns) != 2 || !slices.Equal(got.Turns[0].Files, m.Files) || got.Turns[0].Text != m.Text || got.Turns[1].Files != nil {
		t.Errorf("the conversation has %+v", got.Turns)
	}
}

// TestAttach_refused: a message whose files are none of the business's is not taken: not with a step up, a link out, a
// folder, an absolute path, a closed file, one that is missing, too many, or a secret for a name.
func TestAttach_refused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, options{model: repeats(), shelf: shelfIn(t, dir, "a.txt", "folder/b.txt", ".env", "../outside.txt")})
	if err := os.Symlink(filepath.Join(dir, "outside.txt"), filepath.Join(dir, "data", "out.txt")); err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for _, bad := range [][]string{
		{"missing.txt"},
		{"a.txt", "missing.txt"},
		{"../outside.txt"},
		{"folder/../a.txt"},
		{"../data/a.txt"},
		{"./a.txt"},
		{"out.txt"},
		{"folder"},
		{".env"},
		{filepath.Join(dir, "data", "a.txt")},
		{""},
		{"a.txt\n"},
		{"a\x00.txt"},
		{secret},
		slices.Repeat([]string{"a.txt"}, wire.MaxFiles+1),
	} {
		m := message(t, id(t), "it-admin", "read it")
		m.Files = bad
		_, err := s.rt.Post(t.Context(), m)
		var no *wire.RPCError
		if !errors.As(err, &no) || !strings.Contains(no.Text, "Nothing was sent.") {
			t.Errorf("%q: %v", bad, err)
		}
		if rows := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}); len(rows.Items) != 0 {
			t.Fatalf("%q: there is a conversation: %+v", bad, rows.Items)
		}
	}
}

// TestAttach_repeat: a message that comes again is the same message, also when its file has gone meanwhile.
func TestAttach_repeat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, options{model: repeats(), shelf: shelfIn(t, dir, "a.txt")})
	m := message(t, id(t), "it-admin", "read it")
	m.Files = []string{"a.txt"}
	s.post(t, m)
	s.watch.end(t, m.RunID)
	if err := os.Remove(filepath.Join(dir, "data", "a.txt")); err != nil {
		t.Fatal(err)
	}
	if ack, err := s.rt.Post(t.Context(), m); err != nil || ack.State != wire.RunDone {
		t.Errorf("%+v, %v", ack, err)
	}
}

// TestAttach_gone: a message that waited for the server until its file was gone is answered in words.
func TestAttach_gone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, options{model: repeats(), shelf: shelfIn(t, dir)})
	m := message(t, id(t), "it-admin", "read it")
	m.Files = []string{"gone.txt"}
	s.accept(t, m)
	e := s.watch.end(t, m.RunID)
	if f := data[wire.ErrorData](t, e); f.Type != "refused" || !strings.Contains(f.Detail, "gone.txt is not among") {
		t.Errorf("%s %s", e.Event, e.Data)
	}
}

// TestOffer: an answer offers the files of the business that it names, each once and no more than twenty; not what is
// missing, closed, a folder, or elsewhere.
func TestOffer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"letters/opening hours.txt", "a.txt", ".env", "../outside.txt"}
	text := "I wrote `letters/opening hours.txt` and a.txt; a.txt again, `./a.txt`, " + filepath.Join(dir, "data", "a.txt") +
		", missing.txt, letters/, .env, out.txt, ../outside.txt, ../data/a.txt, https://evil.example/a.txt, //a.txt."
	many := ""
	for i := range 30 {
		names = append(names, fmt.Sprintf("many/%d.txt", i))
		many += fmt.Sprintf(" many/%d.txt", i)
	}
	have := shelfIn(t, dir, names...)
	if err := os.Symlink(filepath.Join(dir, "outside.txt"), filepath.Join(dir, "data", "out.txt")); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, options{model: repeats(), shelf: have})
	m, e := s.ask(t, "it-admin", text)
	if got := data[wire.FinalData](t, e).Files; !slices.Equal(got, []string{"letters/opening hours.txt", "a.txt"}) {
		t.Errorf("offered are %q", got)
	}
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if run.Final == nil || len(run.Final.Files) != 2 {
		t.Errorf("on record is %+v", run.Final)
	}
	if _, e := s.ask(t, "it-admin", many); len(data[wire.FinalData](t, e).Files) != wire.MaxFiles {
		t.Errorf("offered are %q", data[wire.FinalData](t, e).Files)
	}
}
