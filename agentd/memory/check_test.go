package memory_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/memory"
)

// drawer is what was put aside, by the text of the note.
type drawer struct {
	mu  sync.Mutex
	why map[string]string
}

func (d *drawer) Held(context.Context) (func(memory.Note, bool) string, error) {
	return func(n memory.Note, _ bool) string {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.why[n.Text]
	}, nil
}

func (d *drawer) Hold(_ context.Context, n memory.Note, why string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.why[n.Text] = why
	return nil
}

// TestCheck: what contradicts the owner's word and what a flagged run noted is put aside, with the reason, whatever is then done to
// the file; what the owner signed for, and what says the same or something else, stays.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir, aside := t.TempDir(), &drawer{why: map[string]string{}}
	open := func() shelf {
		b, err := memory.Open(t.Context(), memory.Deps{
			Dir: filepath.Join(dir, "memory"), Index: filepath.Join(dir, "memory.db"), Now: func() time.Time { return noon },
			Vouched: func(_ context.Context, n memory.Note) (bool, error) { return n.Sign == "signed", nil },
			Flagged: func(_ context.Context, run string) (bool, error) { return run == "bad", nil },
			Aside:   aside, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		return shelf{b, filepath.Join(dir, "memory")}
	}
	s := open()
	for i, n := range []memory.Note{
		{Of: memory.Shared, Text: "The shop opens at 9 on Saturdays", About: memory.About{From: memory.Owner, Core: true, Sign: "signed"}},
		{Of: memory.Shared, Text: "Deliveries come to the back door", About: memory.About{From: memory.Owner, Sign: "signed", Run: "bad"}},
		{Of: "secretary", Text: "On Saturdays the shop opens at 10", About: memory.About{From: memory.Agent, Run: "good"}},
		{Of: "secretary", Text: "The new baker starts in May", About: memory.About{From: memory.Agent, Run: "bad"}},
		{Of: "secretary", Text: "On Saturdays the shop opens at 9", About: memory.About{From: memory.Agent, Run: "good"}},
		{Of: "secretary", Text: "The window was cleaned", About: memory.About{From: memory.Agent, Run: "good"}},
	} {
		n.ID = fmt.Sprint("n", i)
		if _, err := s.Write(t.Context(), n, true, time.UTC); err != nil {
			t.Fatal(err)
		}
	}
	held := func() map[string]string {
		t.Helper()
		all, err := s.List(t.Context(), memory.Shelf{Of: []string{"secretary", memory.Shared}, Held: true, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		why := map[string]string{}
		for _, n := range all {
			why[n.ID] = n.Held
		}
		return why
	}
	compare := func(when string) {
		t.Helper()
		if got := held(); len(got) != 2 || got["n2"] != memory.AgainstCore || got["n3"] != memory.FromFlagged {
			t.Errorf("%s: put aside %v", when, got)
		}
		if got := s.texts(t, memory.Question{Text: "new baker May", Of: []string{"secretary"}}); len(got) != 0 {
			t.Errorf("%s: found %q", when, got)
		}
	}
	if n, err := s.Check(t.Context()); err != nil || n != 2 {
		t.Fatalf("put aside %d, %v", n, err)
	}
	compare("at first")
	if n, err := s.Check(t.Context()); err != nil || n != 0 {
		t.Errorf("the second time: put aside %d, %v", n, err)
	}
	compare("the second time")
	// Whoever writes the file anew, without the marks of this program, takes nothing back.
	if err := os.WriteFile(filepath.Join(s.dir, "secretary", "MEMORY.md"), []byte("- The new baker starts in May\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.texts(t, memory.Question{Text: "new baker May", Of: []string{"secretary"}}); len(got) != 0 {
		t.Errorf("after an edit of the file: found %q", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRefresh_large: of a folder of 100 MB a bounded part is read, what lasts and the newest days first, and the rest is named.
func TestRefresh_large(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := memory.Open(t.Context(), memory.Deps{
		Dir: filepath.Join(dir, "memory"), Index: filepath.Join(dir, "memory.db"), Now: func() time.Time { return noon }, Most: 64 << 10,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := shelf{b, filepath.Join(dir, "memory")}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	put := func(file, text string, size int64) {
		t.Helper()
		full := filepath.Join(s.dir, "secretary", file)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(full, max(size, int64(len(text)))); err != nil {
			t.Fatal(err)
		}
	}
	put("MEMORY.md", "- The safe is behind the picture\n", 0)
	put("memory/2026-03-14.md", "- The oven was repaired\n", 0)
	put("memory/2026-03-13.md", strings.Repeat("- The tap drips\n", 3000), 0)
	put("memory/2026-03-12.md", strings.Repeat("- The roof leaks\n", 3000), 0)
	put("memory/2026-03-11.md", "- The lamp is broken\n", 0)
	for i := range 13 {
		put(fmt.Sprintf("memory/2025-01-%02d.md", i+1), "- An old note\n", 8<<20)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if read, err := s.Refresh(t.Context()); err != nil || read != 4 {
		t.Fatalf("read %d files, %v", read, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 200<<20 {
		t.Errorf("%d MB were asked for", grown>>20)
	}
	left := s.LeftOut()
	newest, oldest := "secretary/memory/2026-03-12.md", "secretary/memory/2025-01-01.md"
	if len(left) != 14 || !slices.Contains(left, newest) || !slices.Contains(left, oldest) {
		t.Errorf("left out: %v", left)
	}
	for text, want := range map[string]int{"safe picture": 1, "oven repaired": 1, "roof leaks": 0, "lamp broken": 1} {
		if got := s.texts(t, memory.Question{Text: text, Of: []string{"secretary"}}); len(got) != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	put("memory/2026-03-13.md", "- The tap was mended\n", 0)
	if _, err := s.Refresh(t.Context()); err != nil || len(s.LeftOut()) != 13 {
		t.Errorf("with room again: left out %v, %v", s.LeftOut(), err)
	}
	if got := s.texts(t, memory.Question{Text: "roof leaks", Of: []string{"secretary"}}); len(got) == 0 {
		t.Error("what has room again is not found")
	}
}
