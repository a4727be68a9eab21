package shell_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// historied makes a repository in which a file of settings was kept for a while, lies in a stash, was renamed and
// tagged, and is tracked on a branch.
func historied(t *testing.T) (w world, blob, tree string) {
	t.Helper()
	w = open(t)
	w.Level = 3
	line := "hello CANARY\n" // nothing that is taken out of an answer for its form
	w.Write(t, map[string]string{"a.txt": "harmless\n", "docs/b.txt": "harmless PASS\n", ".env": line, ".env.example": "PASS=\n", "secrets/x.txt": "CANARY\n"})
	as := []string{"-c", "user.name=a", "-c", "user.email=a@example.com"}
	do := func(args ...string) { t.Helper(); git(t, w, ".", append(as, args...)...) }
	do("init", "-q", ".")
	do("add", ".")
	do("commit", "-qm", "first")
	do("tag", "settings", "HEAD:.env")
	w.Write(t, map[string]string{".env": line + "more CANARY\n"})
	do("stash", "-q")
	do("branch", "kept")
	do("rm", "-q", ".env", "secrets/x.txt")
	do("commit", "-qm", "second")
	w.Write(t, map[string]string{"a.txt": "harmless\nmore harmless\n", ".env.example": "PASS=\nMORE=\n"})
	do("commit", "-qam", "third")
	return w, parse(t, w, "settings"), parse(t, w, "kept:secrets")
}

// parse is the hash of something in a repository.
func parse(t *testing.T, w world, name string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "rev-parse", name)
	cmd.Dir = w.Data
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestRun_showsNoSecretsOfHistory: what a file held that may not be touched is not read from a repository either.
func TestRun_showsNoSecretsOfHistory(t *testing.T) {
	t.Parallel()
	w, blob, tree := historied(t)
	for _, c := range some(t, []string{
		"git log -p", "git log -p --all", "git log -U1", "git log -S hello -p", "git log --all --oneline --stat -p", "git log --graph --oneline -p", "git log --format=%s -p", "git whatchanged -p", "git log -p -- .", "git log -p -- '.e*'",
		"git show HEAD~1", "git show HEAD~2", "git show kept", "git show -S --stat HEAD~2", "git show --stat -p HEAD~2", "git show settings", "git show " + blob, "git show " + blob[:8], "git cat-file -p " + blob, "git cat-file -p settings",
		"git diff HEAD~2", "git diff kept", "git diff HEAD~2 HEAD", "git diff HEAD~2..HEAD", "git diff --word-diff kept", "git diff " + blob + " HEAD:a.txt", "git diff " + blob + "..HEAD:a.txt", "git diff-tree -p HEAD~1",
		"git stash show -p", "git stash list -p", "git grep -h hello HEAD~2", "git grep -c hello kept; git grep hello kept", "git grep hello kept -- .", "git blame kept -- .env", "git show HEAD~2:.env", "git cat-file -p HEAD~2:.env",
		"nice git log -p", "timeout 5 git show HEAD~2", "echo HEAD~2 | xargs git show", "git -C docs log -p", "git --no-pager log -p", "cd docs && git log -p", "git range-diff HEAD~2 HEAD~1 kept", "git log -L 1,1:a.txt",
		"git rev-list --all | xargs -n 1 git show", "git log -p --follow a.txt; git log -p --reverse", "git archive HEAD~2 | tar xO",
		"git show " + tree + ":x.txt", "git cat-file -p " + tree + ":x.txt", "git grep CANAR. " + tree, "git grep hello " + blob, "git diff HEAD:docs " + tree, "git diff-tree -p HEAD:docs " + tree, "git cat-file blob " + blob,
		"git for-each-ref --format='%(raw)'", "git for-each-ref --format='%(contents)' refs/tags", "git tag --format='%(raw)'", "git tag --format '%(*raw)'", "git tag --list --format=%(raw)", "git branch --format='%(raw)'", "git show stash@{0}", "git show 'settings^{}'", "git show 'kept^{tree}:.env'", "git diff HEAD: kept:", "git status -v", "git verify-tag -v settings",
		"git show -s -p HEAD~2", "git show HEAD~2 -- .", "git log --check --all", "git diff --check HEAD kept", "git log -1 -p kept --name-only", "git show kept~0 --raw -p", "git shortlog -p --all", "git log -n 9 -p -- a.txt .env", "find a.txt -exec git show HEAD~2 {} +",
	}) {
		o := w.Do(t, "shell", command(c))
		if strings.Contains(o.Text, "CANARY") {
			t.Errorf("%q: %s %s %.300s", c, o.Tier, o.State, o.Text)
		}
	}
}

// TestRun_showsTheRestOfHistory: what holds no secrets is shown, also in a repository that held some.
func TestRun_showsTheRestOfHistory(t *testing.T) {
	t.Parallel()
	w, _, _ := historied(t)
	cases := map[string]string{
		"git log": "second", "git log --stat": ".env", "git log --oneline -n 5 --graph": "third", "git status": "nothing", "git log --format=%s -S PASS": "first", "git log --name-only": ".env", "git log -S CANARY --oneline": "second",
		"git diff": "", "git diff --stat HEAD~2": ".env", "git diff --name-only HEAD~2": ".env", "git show": "+more harmless", "git show HEAD": "+more harmless", "git show --stat HEAD~2": ".env", "git log -p -1": "+more harmless", "git show -s HEAD~1": "second",
		"git log -p -- a.txt": "+more harmless", "git log --follow -p a.txt": "+more harmless", "git diff HEAD~2 -- a.txt docs": "+more harmless", "git grep -h harmless": "more harmless", "git grep -n PASS": "docs/b.txt", "git grep PASS kept -- docs": "harmless PASS",
		"git show HEAD:a.txt": "more harmless", "git blame a.txt": "more harmless", "git cat-file -p HEAD": "third", "git show HEAD~2:docs/b.txt": "harmless", "git stash list": "WIP", "git stash show": ".env", "git rev-list --count HEAD": "3", "git show HEAD -- .": "+MORE=",
	}
	for _, c := range some(t, slices.Sorted(maps.Keys(cases))) {
		want := cases[c]
		o := w.Do(t, "shell", command(c))
		if o.State != wire.ToolDone || o.Tier != "green" || !strings.Contains(o.Text, want) || strings.Contains(o.Text, "refused:") || strings.Contains(o.Text, "[exit status") {
			t.Errorf("%q: %s %s %.300s", c, o.Tier, o.State, o.Text)
		}
	}
}
