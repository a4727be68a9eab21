package demo_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/demo"
)

var now = time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)

func TestFiles_believable(t *testing.T) {
	t.Parallel()
	files := demo.Files(now)
	seen, old, size := map[string]bool{}, 0, 0
	for _, f := range files {
		if seen[f.Path] || len(f.Body) == 0 || f.Age <= 0 && path.Dir(f.Path) != "orders" {
			t.Errorf("%s: twice, empty or without age", f.Path)
		}
		seen[f.Path] = true
		if ok, err := path.Match(demo.Old, f.Path); err != nil {
			t.Fatal(err)
		} else if ok {
			old, size = old+1, size+len(f.Body)
			if f.Age < 30*24*time.Hour {
				t.Errorf("%s is not old", f.Path)
			}
		}
	}
	if old != 14 || size < 2<<20 || size > 8<<20 {
		t.Errorf("%d old temporary files of %d bytes", old, size)
	}
	if !seen["notes/opening-hours.txt"] || !seen["prices/price-list.csv"] || !seen["tmp/upload.part"] {
		t.Error("a file of the tour is missing")
	}
	again := demo.Files(now.Add(5 * time.Hour))
	for i, f := range files {
		if again[i].Path != f.Path || !bytes.Equal(again[i].Body, f.Body) {
			t.Fatalf("%s differs within one day", f.Path)
		}
	}
}

// Every demo file can be put back by its name or is counted among those that bear a date, whatever the day.
func TestPutBack_accountsForAll(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{now, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)} {
		again, dated := map[string]bool{}, demo.Dated()
		for _, f := range demo.PutBack() {
			again[f.Path] = true
			if len(f.Body) == 0 || len(f.Body) > 4<<10 {
				t.Errorf("%s is put back with %d bytes", f.Path, len(f.Body))
			}
		}
		for _, f := range demo.Files(at) {
			if !slices.Contains(demo.Folders(), path.Dir(f.Path)) {
				t.Errorf("%s is in no folder", f.Path)
			}
			if again[f.Path] {
				delete(again, f.Path)
				continue
			}
			for glob := range dated {
				if ok, err := path.Match(glob, f.Path); err != nil {
					t.Fatal(err)
				} else if ok {
					dated[glob]--
				}
			}
		}
		for glob, n := range dated {
			if n != 0 {
				t.Errorf("%s: %d of %s are too many or too few", at, n, glob)
			}
		}
		if len(again) > 0 {
			t.Errorf("%s: %v were never there", at, again)
		}
	}
}

func TestSeed_onceWithTimes(t *testing.T) {
	t.Parallel()
	root, mark := t.TempDir(), filepath.Join(t.TempDir(), "seeded")
	mine := filepath.Join(root, "README.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if wrote, err := demo.Seed(root, mark, now); err != nil || !wrote {
		t.Fatalf("wrote %v, %v", wrote, err)
	}
	scan := filepath.Join(root, "tmp", "scan-0118.tmp")
	info, err := os.Stat(scan)
	if err != nil || !info.ModTime().Equal(now.Add(-40*24*time.Hour)) {
		t.Fatalf("%v, %v", info, err)
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" {
		t.Errorf("a file of the owner was overwritten: %q, %v", b, err)
	}
	if err := os.Remove(scan); err != nil {
		t.Fatal(err)
	}
	if wrote, err := demo.Seed(root, mark, now); err != nil || wrote {
		t.Errorf("seeded again: %v, %v", wrote, err)
	}
	if _, err := os.Stat(scan); err == nil {
		t.Error("what was deleted is back")
	}
}
