package kept_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gatehouse/cmd/kept"
)

// TestProgram_neverStale: whoever asks gets the program as the checkout is then, and keeps what it was given before.
func TestProgram_neverStale(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	root, first, second := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, root, "go.mod", "module example\ngo 1.26\n")
	write(t, root, "cmd/say/tagged.go", "//go:build loud\n\npackage main\n\nfunc init() { word += \"!\" }\n")
	source := "package main\n\nvar word = \"one\"\n\nfunc main() { print(word) }\n"
	write(t, root, "cmd/say/main.go", source)
	was := program(t, root, first)
	if said := says(t, was); said != "one" {
		t.Errorf("it says %q", said)
	}
	before := stat(t, was)
	if again := program(t, root, second); !os.SameFile(before, stat(t, again)) {
		t.Error("it was linked again, and nothing had changed")
	}
	write(t, root, "cmd/say/main.go", string(bytes.ReplaceAll([]byte(source), []byte("one"), []byte("two"))))
	if said := says(t, program(t, root, t.TempDir())); said != "two" {
		t.Errorf("after a change it says %q", said)
	}
	if said := says(t, program(t, root, first, "loud")); said != "two!" {
		t.Errorf("with a build tag it says %q", said)
	}
	if said := says(t, was); said != "one" {
		t.Errorf("what was given before says %q now", said)
	}
}

func program(t *testing.T, root, dir string, tags ...string) string {
	t.Helper()
	path, err := kept.Program(root, dir, "say", tags...)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func says(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFolder_notOurs: what somebody else may write to is not run.
func TestFolder_notOurs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir, err := kept.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Folder("programs"); err == nil {
		t.Error("a folder that everybody may write to was taken")
	}
}

// TestLock: the last one to leave is alone, and keeps others out until it is done.
func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, second := shared(t, path), shared(t, path)
	if alone, err := first.LeftAlone(func() error { t.Error("another one was there"); return nil }); alone || err != nil {
		t.Errorf("alone %v, %v", alone, err)
	}
	joined, done := make(chan bool, 1), make(chan bool, 1)
	alone, err := second.LeftAlone(func() error {
		go func() {
			shared(t, path).Release()
			joined <- <-done
		}()
		done <- true
		return nil
	})
	if !alone || err != nil || !<-joined {
		t.Errorf("alone %v, %v", alone, err)
	}
}

// TestLock_deleted: when the file was deleted meanwhile, the others who hold it still count.
func TestLock_deleted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, second := shared(t, path), shared(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*kept.Lock{first, second} {
		alone, err := l.LeftAlone(func() error { return nil })
		if want := l == second; alone != want || err != nil {
			t.Errorf("alone %v, %v, want %v", alone, err, want)
		}
	}
}

func shared(t *testing.T, path string) *kept.Lock {
	t.Helper()
	l, err := kept.Shared(path)
	if err != nil {
		t.Error(err)
		return nil
	}
	return l
}
