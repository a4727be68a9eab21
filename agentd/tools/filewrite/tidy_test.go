package filewrite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/tools/dataroot"
)

// keptNames are the folders of a store, in the order of their names.
func keptNames(t *testing.T, s store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestTidy: what is too old goes, and of the rest the oldest that were carried out, until they fit. What waits for a person
// stays, however much there is.
func TestTidy(t *testing.T) {
	t.Parallel()
	s := storeIn(t.TempDir())
	now := time.Now()
	for i, age := range []time.Duration{40 * 24 * time.Hour, 35 * 24 * time.Hour, 9 * time.Hour, 8 * time.Hour, 7 * time.Hour, 6 * time.Hour} {
		id := fmt.Sprintf("call-%d", i)
		if err := s.put(id, meta{Rel: "a.txt", Before: "x", Committed: i%2 == 0}, make([]byte, 500), make([]byte, 500)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(s.dir, id), now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		most int64
		want []string
	}{
		{10_000, []string{"call-2", "call-3", "call-4", "call-5"}},
		{4_000, []string{"call-3", "call-4", "call-5"}},
		{0, []string{"call-3", "call-5"}},
	} {
		if err := s.tidy(now, c.most); err != nil {
			t.Fatal(err)
		}
		if got := keptNames(t, s); !slices.Equal(got, c.want) {
			t.Errorf("of at most %d bytes are kept %v, want %v", c.most, got, c.want)
		}
	}
}

// TestTidy_whileItRuns: what is too old goes after a while of writing, without a restart.
func TestTidy_whileItRuns(t *testing.T) {
	t.Parallel()
	root, err := dataroot.Open(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	now := time.Now()
	w, err := New(root, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	write := func(id, text string) {
		t.Helper()
		_, was, err := w.present("a.txt")
		if err != nil {
			t.Fatal(err)
		}
		m := meta{Rel: "a.txt", Before: was, After: hashOf([]byte(text))}
		if err := w.kept.put(id, m, nil, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.commit(id, m, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("call-1", "one")
	write("call-2", "two")
	long := now.Add(-keepFor - time.Hour)
	if err := os.Chtimes(filepath.Join(w.kept.dir, "call-1"), long, long); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * tidyEvery)
	write("call-3", "three")
	if got := strings.Join(keptNames(t, w.kept), " "); got != "call-2 call-3" {
		t.Errorf("kept: %s", got)
	}
}
