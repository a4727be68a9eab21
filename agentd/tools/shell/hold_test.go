package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// repository makes a repository in the data folder, with another one in it that is a part of it, and a setting in one.
func repository(t *testing.T, w world, where, name, value string) {
	t.Helper()
	w.Write(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n", ".gitattributes": "*.txt diff=own filter=own\n", "sub/.gitattributes": "*.txt filter=own\n"})
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"}
	git(t, w, "sub", "init", "-q", ".")
	git(t, w, "sub", "add", ".")
	git(t, w, "sub", commit...)
	git(t, w, ".", "init", "-q", ".")
	git(t, w, ".", "add", ".")
	git(t, w, ".", commit...)
	git(t, w, where, "config", name, value)
	w.Write(t, map[string]string{"a.txt": "other\n", "sub/b.txt": "other\n"})
}

func git(t *testing.T, w world, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = filepath.Join(w.Data, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// reads are commands that only look at a repository.
var reads = []string{
	"git status", "git diff", "git log -p", "git show", "git blame a.txt", "git -C . status --short", "git --no-pager diff", "nice git status", "timeout 5 git diff", "env TZ=UTC git log -p",
	"nice -n 5 timeout 5 git blame a.txt", "git log --format=%G?", "ls a.txt | xargs git log -p",
}

// others are more of them, some of which find nothing.
var others = []string{
	"git submodule status", "git ls-files -m", "git grep one", "git diff --cached", "git describe --always", "git stash list", "git cat-file -p HEAD", "git diff-tree -p HEAD", "git verify-commit HEAD", "git check-ignore a.txt",
}

// TestRun_gitStartsNothingOfTheRepository: whatever programs a repository names in its settings, reading it starts none.
func TestRun_gitStartsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ where, name, value string }{
		{".", "diff.own.textconv", "touch made; cat"},
		{".", "diff.own.command", "touch made; true"},
		{".", "filter.own.clean", "touch made; cat"},
		{".", "filter.own.process", "touch made"},
		{".", "gpg.program", "made"},
		{".", "core.fsmonitor", "touch made; true"},
		{".", "diff.external", "touch made; true"},
		{".", "core.pager", "touch made"},
		{"sub", "core.fsmonitor", "touch ../made; true"},
		{"sub", "filter.own.clean", "touch ../made; cat"},
	} {
		t.Run(c.where+c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			repository(t, w, c.where, c.name, c.value)
			text := together(some(t, slices.Concat(reads, others)))
			o := w.Do(t, "shell", command(text))
			if o.State != wire.ToolDone || o.Tier != "green" || w.Has("made") {
				t.Errorf("%s is %s %s: %.3000s", text, o.Tier, o.State, o.Text)
			}
		})
	}
}

// TestRun_gitFetchesNothing: what a repository lacks is not fetched while it is read, whatever its settings allow: they may
// name a program as the place to fetch from.
func TestRun_gitFetchesNothing(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"ext", "file"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			repository(t, w, ".", "remote.origin.promisor", "true")
			for _, setting := range [][2]string{
				{"core.repositoryFormatVersion", "1"},
				{"extensions.partialClone", "origin"},
				{"remote.origin.uploadpack", "touch made;"},
				{"remote.origin.url", map[string]string{"ext": "ext::touch made", "file": "file://" + w.Data}[protocol]},
				{"protocol." + protocol + ".allow", "always"},
			} {
				git(t, w, ".", "config", setting[0], setting[1])
			}
			id := "5626abf0f72e58d7a153368ba57db4c673c0e171" // what a.txt holds
			if err := os.Remove(filepath.Join(w.Data, ".git/objects", id[:2], id[2:])); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"git show HEAD:a.txt", "git log -p", "git diff HEAD", "git cat-file -p HEAD:a.txt"} {
				if o := w.Do(t, "shell", command(text)); o.Tier != "green" || w.Has("made") {
					t.Fatalf("%s is %s %s: %.300s", text, o.Tier, o.State, o.Text)
				}
			}
		})
	}
}

// TestRun_gitReads: a repository that names no programs is read, behind other programs as well.
func TestRun_gitReads(t *testing.T) {
	t.Parallel()
	w := open(t)
	repository(t, w, ".", "core.quotePath", "false")
	for _, text := range some(t, reads) {
		if o := w.Do(t, "shell", command(text)); o.State != wire.ToolDone || o.Tier != "green" || strings.Contains(o.Text, "[exit status") {
			t.Errorf("%s is %s %s: %.300s", text, o.Tier, o.State, o.Text)
		}
	}
}

// TestRun_namesOfReadersAreWords: the name of a program that is held to reading is a word like others behind another one.
func TestRun_namesOfReadersAreWords(t *testing.T) {
	t.Parallel()
	w := open(t)
	repository(t, w, ".", "core.quotePath", "false")
	for text, want := range map[string]string{
		"timeout 5 echo git status": "git status\n", "nice echo sqlite3 x": "sqlite3 x\n", "env TZ=Europe/git git rev-parse --is-inside-work-tree": "true\n",
	} {
		if o := w.Do(t, "shell", command(text)); o.Tier != "green" || o.Text != want {
			t.Errorf("%s is %s %s: %.300s", text, o.Tier, o.State, o.Text)
		}
	}
}

// TestRun_databasesAreOnlyRead: a database that is not there is not made, behind other programs as well.
func TestRun_databasesAreOnlyRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, text := range []string{"sqlite3 new.db 'select 1'", "timeout 5 sqlite3 new.db 'select 1'", "nice -n 5 env TZ=UTC sqlite3 new.db 'select 1'"} {
		if o := w.Do(t, "shell", command(text)); o.Tier != "green" || w.Has("new.db") {
			t.Errorf("%s is %s %s: %.300s", text, o.Tier, o.State, o.Text)
		}
	}
}
