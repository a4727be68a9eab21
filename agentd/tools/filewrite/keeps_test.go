package filewrite_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// TestRestore_mode: what only one user could read comes back as that, also when nobody can look any more at what it was.
func TestRestore_mode(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"tight.txt": "one", "open.txt": "one"})
	for name, mode := range map[string]fs.FileMode{"tight.txt": 0o600, "open.txt": 0o644} {
		at := filepath.Join(w.Data, name)
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
		w.Do(t, "file_write", args(name, "two"))
		of := w.last(t)
		for range 2 { // the second time of what was put back the first time
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			if o := w.Do(t, "file_restore", back(name, of, true)); o.State != wire.ToolDone {
				t.Fatalf("%s: %+v", name, o)
			}
			if info, err := os.Stat(at); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
			w.Do(t, "file_write", args(name, "three"))
			of = w.last(t)
		}
	}
}

// TestRun_together: of writes of one file at the same time, none takes the place of what it has not seen: what was there
// is always kept by the one that replaced it.
func TestRun_together(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"a.txt": "start"})
	replaced := map[any]int{}
	for round := range 10 {
		var outs [6]gate.Outcome
		var wg sync.WaitGroup
		for i := range outs {
			wg.Go(func() { outs[i] = w.Do(t, "file_write", args("a.txt", fmt.Sprintf("%d of round %d", i, round))) })
		}
		wg.Wait()
		for _, o := range outs {
			if o.State == wire.ToolDone {
				replaced[o.Result.Meta["before"]]++
			}
		}
	}
	for hash, n := range replaced {
		if n > 1 {
			t.Errorf("%d writes took the place of %v", n, hash)
		}
	}
	if len(replaced) < 10 {
		t.Errorf("%d writes were made", len(replaced))
	}
}

// TestRun_byAnotherName: a folder that is a link stands for where it leads, also where nobody may write.
func TestRun_byAnotherName(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{".git/hooks/sample": "", "conf/a.txt": "one"})
	for name, to := range map[string]string{"x": ".git/hooks", "y": "conf"} {
		if err := os.Symlink(to, filepath.Join(w.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if o := w.Do(t, "file_write", args("y/a.txt", "two")); o.State != wire.ToolDone || w.Read(t, "conf/a.txt") != "two" {
		t.Errorf("%+v", o)
	}
	for _, name := range []string{"x/post-commit", "x/sample"} {
		o := w.Do(t, "file_write", args(name, "#!/bin/rm"))
		if o.State == wire.ToolDone || !strings.Contains(o.Text, ".git/hooks") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if list, err := os.ReadDir(filepath.Join(w.Data, ".git/hooks")); err != nil || len(list) != 1 || w.Read(t, ".git/hooks/sample") != "" {
		t.Errorf("written: %v, %v", list, err)
	}
}
