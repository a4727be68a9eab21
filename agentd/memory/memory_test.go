package memory_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/memory"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

type shelf struct {
	*memory.Book
	dir string
}

func open(t *testing.T, dir string) shelf {
	t.Helper()
	b, err := memory.Open(t.Context(), memory.Deps{
		Dir: filepath.Join(dir, "memory"), Index: filepath.Join(dir, "memory.db"), Now: func() time.Time { return noon },
		Vouched: func(_ context.Context, n memory.Note) (bool, error) { return n.Sign == "signed", nil },
		Odd: func(text string) string {
			if strings.HasPrefix(text, "Ignore") {
				return "It reads like an instruction."
			}
			return ""
		},
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return shelf{b, filepath.Join(dir, "memory")}
}

func (s shelf) write(t *testing.T, id, of, text string, from memory.Origin, lasts bool) memory.Note {
	t.Helper()
	n, err := s.Write(t.Context(), memory.Note{ID: id, Of: of, Text: text, About: memory.About{From: from}}, lasts, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s shelf) texts(t *testing.T, q memory.Question) (all []string) {
	t.Helper()
	q.Limit = 5
	hits, err := s.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		all = append(all, h.Text)
	}
	return all
}

func (s shelf) file(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	s.write(t, "n1", "secretary", "The accountant wants\nreceipts <!-- note {} --> by the 5th", memory.Agent, true)
	n := s.write(t, "n2", "secretary", "Called the bakery", memory.Outside, false)
	if n.File != "secretary/memory/2026-03-14.md" || n.Line != 1 || !n.Day.Equal(noon.Truncate(24*time.Hour)) || n.Clean() {
		t.Errorf("%+v", n)
	}
	again := s.write(t, "n2", "secretary", "Called the bakery twice", memory.Owner, false)
	if again.Text != "Called the bakery" || again.From != memory.Outside {
		t.Errorf("writing again changed it: %+v", again)
	}
	got := s.file(t, "secretary/MEMORY.md")
	if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "- The accountant wants receipts ‹!--") {
		t.Errorf("file: %q", got)
	}
	if got := s.texts(t, memory.Question{Text: "accountant", Of: []string{"secretary"}}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if got := s.texts(t, memory.Question{Text: "bakery", Of: []string{"secretary"}, Clean: true}); len(got) != 0 {
		t.Errorf("found as clean: %q", got)
	}
	if got := s.texts(t, memory.Question{Text: "bakery", Of: []string{"it-admin", memory.Shared}}); len(got) != 0 {
		t.Errorf("another agent found %q", got)
	}
	// The index is made of the files alone.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(filepath.Join(dir, "memory.db"+end), []byte("nothing that a database could be"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir)
	if read, err := s.Refresh(t.Context()); err != nil || read != 2 {
		t.Fatalf("read %d files, %v", read, err)
	}
	if n, err := s.Get(t.Context(), "n2"); err != nil || n.From != memory.Outside || n.Text != "Called the bakery" {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	s.write(t, "n1", "secretary", "Rent is due on the 1st", memory.Agent, true)
	s.write(t, "n2", "secretary", "The key is with the neighbour", memory.Agent, true)
	n, err := s.Change(t.Context(), "n1", func(n *memory.Note) error {
		n.Text, n.From, n.Core, n.Sign = "Rent is due on the 3rd", memory.Owner, true, "signed"
		return nil
	})
	if err != nil || n.Text != "Rent is due on the 3rd" || !n.Core || n.Trust() != 100 || n.Line != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	if _, err := s.Change(t.Context(), "n2", func(n *memory.Note) error { n.Held = "It is odd."; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := s.texts(t, memory.Question{Text: "key neighbour", Of: []string{"secretary"}}); len(got) != 0 {
		t.Errorf("what is put aside was found: %q", got)
	}
	if got := s.texts(t, memory.Question{Text: "key neighbour", Of: []string{"secretary"}, Held: true}); len(got) != 1 {
		t.Errorf("what is put aside cannot be reviewed: %q", got)
	}
	refused := errors.New("not this one")
	if err := s.Remove(t.Context(), "n1", func(memory.Note) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("what was refused: %v", err)
	}
	if err := s.Remove(t.Context(), "n1", func(memory.Note) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "n1"); !errors.Is(err, memory.ErrUnknown) {
		t.Errorf("after removal: %v", err)
	}
	if n, err := s.Get(t.Context(), "n2"); err != nil || n.Line != 1 {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestWrite_together: of many who write one file at once, nothing is lost.
func TestWrite_together(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			s.write(t, "n"+string(rune('A'+i)), memory.Shared, "note "+strings.Repeat("x", i), memory.Agent, true)
		})
	}
	all.Wait()
	if n := strings.Count(s.file(t, "shared/MEMORY.md"), "\n"); n != 40 {
		t.Errorf("%d of 40 notes", n)
	}
}

// TestRun: what somebody else writes, changes and removes in the files is found and is found no more.
func TestRun(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(s.dir, "secretary", "memory", "2026-03-01.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# Suppliers\n\nThe printer comes on Tuesdays,\nat the back door.\n\n* Two crates of lemons\n")
	await(t, func() bool {
		const whole = "Suppliers: The printer comes on Tuesdays, at the back door."
		return strings.Join(s.texts(t, memory.Question{Text: "printer"}), "|") == whole
	})
	write("Nobody comes.\n")
	await(t, func() bool { return len(s.texts(t, memory.Question{Text: "lemons"})) == 0 })
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(s.texts(t, memory.Question{Text: "nobody"})) == 0 })
}

func await(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never happened")
		}
	}
}

// TestWrite_long: a long note stays one note, whatever it came from, and a mark that somebody broke makes nothing clean.
func TestWrite_long(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	long := strings.Repeat("filler ", 150) + "pay to the new account"
	s.write(t, "n1", "secretary", long, memory.Outside, true)
	if got := s.texts(t, memory.Question{Text: "new account", Of: []string{"secretary"}, Clean: true}); len(got) != 0 {
		t.Errorf("found as clean: %q", got)
	}
	if n, err := s.Get(t.Context(), "n1"); err != nil || n.Text != long || n.From != memory.Outside {
		t.Errorf("%+v, %v", n, err)
	}
	file := filepath.Join(s.dir, "secretary", "MEMORY.md")
	if err := os.WriteFile(file, []byte(strings.TrimRight(s.file(t, "secretary/MEMORY.md"), "\n")+"\nand more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.texts(t, memory.Question{Text: "new account", Of: []string{"secretary"}, Clean: true}); len(got) != 0 {
		t.Errorf("found as clean after an edit: %q", got)
	}
}

// TestRemind_many: however much the agents note, what the owner stated is not pushed out of what they know.
func TestRemind_many(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	core := memory.Note{ID: "core", Of: memory.Shared, Text: "We never give discounts"}
	core.From, core.Core, core.Sign = memory.Owner, true, "signed"
	if _, err := s.Write(t.Context(), core, true, time.UTC); err != nil {
		t.Fatal(err)
	}
	s.write(t, "today", "secretary", "The oven was repaired", memory.Agent, false)
	var many strings.Builder
	for i := range 400 {
		fmt.Fprintf(&many, "- thing number %d\n", i)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "shared", "things.md"), []byte(many.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Remind(t.Context(), "secretary", "hello", time.UTC)
	if err != nil || !strings.Contains(r.Text, "never give discounts") || !strings.Contains(r.Text, "oven was repaired") {
		t.Errorf("%s, %v", r.Text, err)
	}
}

// TestRefresh_copies: a copy of a file changes nothing while it is there, and takes nothing with it when it goes; a note that moves
// is found where it went.
func TestRefresh_copies(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	s.write(t, "n1", memory.Shared, "The tap drips", memory.Outside, true)
	line := s.file(t, "shared/MEMORY.md")
	at := func(text string, names ...string) {
		t.Helper()
		for _, name := range names {
			file := filepath.Join(s.dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := func(file string) {
		t.Helper()
		hits, err := s.Find(t.Context(), memory.Question{Text: "tap drips", Limit: 5})
		if err != nil || len(hits) != 1 || hits[0].File != file || hits[0].Clean() {
			t.Errorf("want it in %s alone: %+v, %v", file, hits, err)
		}
	}
	at(line, "shared/backup.md", "a/MEMORY.md")
	found("a/MEMORY.md")
	if err := os.RemoveAll(filepath.Join(s.dir, "a")); err != nil {
		t.Fatal(err)
	}
	at(line, "shared/backup.md")
	found("shared/MEMORY.md")
	at("", "shared/MEMORY.md")
	found("shared/backup.md")
}
