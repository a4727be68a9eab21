package inside

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// forms are what a name of a program may turn into: the program itself, one that was copied, a link to a shell, a script.
var forms = map[string]func(name string) error{
	"program": func(name string) error { return os.Symlink("/bin/echo", name) },
	// By another process: one that starts at this moment would hold a file open that this one writes.
	"copy":  func(name string) error { return exec.Command("cp", "/bin/echo", name).Run() },
	"shell": func(name string) error { return os.Symlink("/bin/bash", name) },
	"script": func(name string) error {
		return os.WriteFile(name, []byte("#!/bin/sh\necho from a script\n"), 0o700) //nolint:gosec // it is to be a program
	},
}

// TestProcess_swapped: what was looked at is what starts, whatever has its name by then.
func TestProcess_swapped(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"program", "copy"} {
		for to := range forms {
			dir := t.TempDir()
			become(t, dir, from)
			file, err := openIn([]string{dir}, "tool")
			if err != nil {
				t.Fatalf("%s: %v", from, err)
			}
			become(t, dir, to)
			wantProgram(t, dir, file)
		}
	}
}

// TestProcess_swapping: the same while the name goes round between all of them, at any moment.
func TestProcess_swapping(t *testing.T) {
	t.Parallel()
	runs := 100
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		runs = 10_000
	}
	dir := t.TempDir()
	become(t, dir, "program")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for form := range forms {
				become(t, dir, form)
			}
		}
	}()
	for ran := 0; ran < runs && !t.Failed(); {
		if file, err := openIn([]string{dir}, "tool"); err == nil {
			wantProgram(t, dir, file)
			ran++
		} else if file != nil {
			_ = file.Close() // it is only read
		}
	}
	cancel()
	<-done
}

// become gives the name of the tool to something else, at once.
func become(t *testing.T, dir, form string) {
	t.Helper()
	next := filepath.Join(dir, "next")
	if err := forms[form](next); err != nil {
		t.Error(err)
	}
	if err := os.Rename(next, filepath.Join(dir, "tool")); err != nil {
		t.Error(err)
	}
}

// wantProgram starts what was looked at and closes it.
func wantProgram(t *testing.T, dir string, file *os.File) {
	t.Helper()
	defer file.Close()
	cmd := (&runner{dir: dir}).process(file, []string{"tool", "from", "the", "program"}, nil)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "from the program\n" {
		t.Errorf("what started says %q, %v", out, err)
	}
}

// TestOpen_exactly: a folder that has become a link since a name was looked at leads nowhere, nor does a file that has.
func TestOpen_exactly(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	own, secret := []byte("own"), []byte("CANARY")
	err = errors.Join(os.Mkdir(at("a"), 0o700), os.Mkdir(at("secret"), 0o700),
		os.WriteFile(at("a/l"), own, 0o600), os.WriteFile(at("secret/l"), secret, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string]int{"a/l": os.O_RDONLY, "a/new": os.O_WRONLY | os.O_CREATE} {
		f, err := openExactly(at(name), flags)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(os.Symlink("secret/l", at("file")), os.Rename(at("a"), at("b")), os.Symlink("secret", at("a"))); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string]int{"a/l": os.O_RDONLY, "file": os.O_RDONLY, "a/new": os.O_WRONLY | os.O_CREATE} {
		if f, err := openExactly(at(name), flags); err == nil {
			t.Errorf("%s was opened as %s", name, f.Name())
			_ = f.Close() // the test has failed
		}
	}
	if _, err := os.Lstat(at("secret/new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made behind the link: %v", err)
	}
}
