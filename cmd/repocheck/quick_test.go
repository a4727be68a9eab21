package repocheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestQuick: make quick runs the tests of what changed and of all that reaches it, also through others or from a test alone.
func TestQuick(t *testing.T) {
	t.Parallel()
	r := checkout{t, t.TempDir()}
	script, err := os.ReadFile("../../.ci/quick")
	if err != nil {
		t.Fatal(err)
	}
	r.write(".ci/quick", string(script))
	r.write("go.mod", "module example\n\ngo 1.26\n")
	for name, imports := range map[string]string{
		"low": "", "middle": "example/low", "high": "example/middle", "alone": "", "cmd/repocheck": "", "cmd/hub/e2e/story": "example/low",
	} {
		text := "package " + filepath.Base(name) + "\n"
		if imports != "" {
			text += "\nimport _ \"" + imports + "\"\n"
		}
		r.write(name+"/a.go", text)
		r.write(name+"/a_test.go", "package "+filepath.Base(name)+"\n")
	}
	r.write("tested/a.go", "package tested\n")
	r.write("tested/a_test.go", "package tested_test\n\nimport _ \"example/high\"\n")
	r.write("alone/testdata/case/in.txt", "one")
	r.write("README.md", "one")
	r.git("init", "-q")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	if said := r.run("bash", ".ci/quick", "list"); !strings.Contains(said, "nothing changed") {
		t.Errorf("with no change: %s", said)
	}
	r.write("README.md", "two")
	r.wants("cmd/repocheck")
	r.write("alone/testdata/case/new.txt", "two")
	r.wants("alone", "cmd/repocheck")
	r.git("add", "-A")
	r.git("commit", "-qm", "third")
	r.wants("alone", "cmd/repocheck")
	r.write("low/a.go", "package low\n\nconst Changed = true\n")
	r.wants("alone", "cmd/repocheck", "high", "low", "middle", "tested")
	r.write("cmd/hub/e2e/story/a_test.go", "package story\n\nconst changed = true\n")
	r.wants("alone", "cmd/hub/e2e/story", "cmd/repocheck", "high", "low", "middle", "tested")
}

// checkout is a repository of its own.
type checkout struct {
	t   *testing.T
	dir string
}

func (r checkout) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r checkout) run(name string, args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "BASE=", "GOFLAGS=", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (r checkout) git(args ...string) {
	r.t.Helper()
	r.run("git", args...)
}

// wants fails unless these are the packages.
func (r checkout) wants(names ...string) {
	r.t.Helper()
	var want []string
	for _, name := range names {
		want = append(want, "example/"+name)
	}
	if got := strings.Fields(r.run("bash", ".ci/quick", "list")); !slices.Equal(got, want) {
		r.t.Errorf("%v, want %v", got, want)
	}
}
