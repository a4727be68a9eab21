package dataroot_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/tooltest"
)

// trapped is a data folder full of ways out. Everything outside it, and what is protected in it, holds the canary.
func trapped(t testing.TB) tooltest.Dir {
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"plain": "ok", "sub/plain": "ok", "sub/.env": canary, ".ssh/id": canary, "a/b/c": "ok"})
	outside := filepath.Join(d.Path, "outside")
	for _, err := range []error{
		os.Mkdir(outside, 0o755),
		os.WriteFile(filepath.Join(outside, "f"), []byte(canary), 0o644),
		os.WriteFile(filepath.Join(d.Path, "data2"), []byte(canary), 0o644), // the folder's name, and more
		os.WriteFile(filepath.Join(d.State, "gatehouse.db"), []byte(canary), 0o600),
		os.Link(filepath.Join(outside, "f"), filepath.Join(d.Data, "hard")),
		unix.Mkfifo(filepath.Join(d.Data, "pipe"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"link": outside, "file": "../outside/f", "up": "..", "sub/up": "../..", "state": d.State, "loop": "loop", "self": ".", "root": "/",
		"proc": "/proc/self/root", "a/key": "../.ssh/id", "two": "sub/up", "in": "sub", "new": "../outside/new",
	} {
		if err := os.Symlink(to, filepath.Join(d.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// around is every file that is none of the data folder's, with what it holds.
func around(t testing.TB, d tooltest.Dir) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(d.Path, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == d.Data:
			return fs.SkipDir
		case e.IsDir():
			all[p] = ""
			return nil
		}
		b, err := os.ReadFile(p)
		all[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzNames takes any name there is through everything that opens, reads and writes by name: what is opened lies in the
// folder, and what lies around it stays as it was.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"plain", "sub/plain", "sub/../plain", "in/plain", "self/self/plain", "a//b/./c", "hard", "pipe", "loop", "new", "file", "link/f", "link/", "up/outside/f", "up/data2",
		"sub/up/outside/f", "two/outside/f", "state/gatehouse.db", "root/etc/passwd", "proc/etc/passwd", "../outside/f", "../data2", "sub/../../outside/f", "/etc/passwd",
		"a/key", ".ssh/id", "in/.env", "SUB/.ENV", "sub/.env ", "sub/.env/.", "..", ".", "/", "", "...", "..\\outside\\f", "plain\x00", "sub\x00/../outside", "l\u0131nk", "link/../data2", ".sshd/", ".ssh/",
		strings.Repeat("up/data/", 90) + "up/outside/f", strings.Repeat("self/", 300) + "plain", strings.Repeat("n", 300),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d := trapped(t)
		before := around(t, d)
		names := []string{name}
		if rel, err := d.Root.Name(name); err == nil {
			names = append(names, rel)
		}
		for _, n := range names {
			reads(t, d.Root, n)
			lists(t, d, n)
			globs(t, d.Root, n)
			writes(d.Root, n)
		}
		if after := around(t, d); !maps.Equal(before, after) {
			t.Errorf("%q changed what lies around the folder: %q", name, after)
		}
	})
}

func reads(t *testing.T, r *dataroot.Root, name string) {
	if b, err := r.ReadFile(name, 1<<10); err == nil && string(b) != "ok" {
		t.Errorf("%q was read: %.40q", name, b)
	}
}

// lists opens a folder by name. The kernel says where it lies.
func lists(t *testing.T, d tooltest.Dir, name string) {
	f, err := d.Root.Folder(name)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Lstat(".")
	if err != nil {
		t.Errorf("%q: %v", name, err)
		return
	}
	same, err := os.Lstat(filepath.Join(d.Data, f.Rel)) // Rel has no links in it: it is this very folder
	if err != nil || !os.SameFile(info, same) || !fs.ValidPath(f.Rel) || f.Rel == ".ssh" || strings.HasPrefix(f.Rel, ".ssh/") {
		t.Errorf("%q opened a folder that is not %q, %v", name, f.Rel, err)
	}
}

// globs lists by pattern. What it finds is in the folder by the folder's own word.
func globs(t *testing.T, r *dataroot.Root, name string) {
	names, err := fs.Glob(r.FS(), name+"/*")
	if err != nil {
		return // no pattern
	}
	for _, n := range names {
		if _, err := r.Lstat(n); err != nil {
			t.Errorf("%q gave %q, %v", name, n, err)
		}
	}
}

// writes puts a file in place under a name, in a folder that may have to be made. It may fail; what it reaches is looked
// at by who calls it.
func writes(r *dataroot.Root, name string) {
	f, err := r.MakeFolder(path.Dir(name))
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Replace(path.Base(name), ".temp", []byte("ok"), 0o644)
}
