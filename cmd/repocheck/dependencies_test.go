package repocheck

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dependency is a row of docs/DEPENDENCIES.md.
type dependency struct{ path, what, into string }

var dependencyRow = regexp.MustCompile(`(?m)^\| ([a-z]\S+\.\S+) \| (.+) \| (.+) \|$`)

// TestDependencies_listed: what go.mod requires has its reason in docs/DEPENDENCIES.md, and is linked where that says.
func TestDependencies_listed(t *testing.T) {
	t.Parallel()
	required, rows := requires(t), dependencies(t)
	for _, r := range rows {
		if !slices.Contains(required, r.path) {
			t.Errorf("docs/DEPENDENCIES.md lists %s, which go.mod does not require", r.path)
		}
	}
	for _, path := range required {
		i := slices.IndexFunc(rows, func(r dependency) bool { return r.path == path })
		if i < 0 {
			t.Errorf("go.mod requires %s; docs/DEPENDENCIES.md says nothing of it", path)
			continue
		}
		if into := linkedInto(t, path, required); into != rows[i].into {
			t.Errorf("%s is linked into %q, docs/DEPENDENCIES.md says %q", path, into, rows[i].into)
		}
	}
}

func dependencies(t *testing.T) (rows []dependency) {
	t.Helper()
	b, err := os.ReadFile("../../docs/DEPENDENCIES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range dependencyRow.FindAllStringSubmatch(string(b), -1) {
		rows = append(rows, dependency{m[1], m[2], m[3]})
	}
	return rows
}

// requires are the modules that go.mod names for their own sake.
func requires(t *testing.T) (paths []string) {
	t.Helper()
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(b), -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// linkedInto says which programs have packages of the module path, or that tests alone do; empty: nothing imports it.
func linkedInto(t *testing.T, path string, all []string) string {
	t.Helper()
	var into []string
	tested := false
	of := func(imported string) bool { return moduleOf(imported, all) == path }
	for _, p := range list(t) {
		if program := strings.TrimPrefix(short(p.ImportPath), "cmd/"); (program == "hub" || program == "agentd") && p.Name == "main" && slices.ContainsFunc(p.Deps, of) {
			into = append(into, program)
		}
		tested = tested || slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), of)
	}
	if len(into) == 0 && tested {
		return "tests"
	}
	slices.Reverse(into) // the hub first
	return strings.Join(into, ", ")
}

// moduleOf is the module to which a package belongs: the longest of all that holds it.
func moduleOf(imported string, all []string) (module string) {
	for _, m := range all {
		if under(imported, m) && len(m) > len(module) {
			module = m
		}
	}
	return module
}

// TestBuild_sameTwice: two builds of one state, in two folders and with two empty caches, give the same programs byte for
// byte. It takes minutes, so it is for the soak.
func TestBuild_sameTwice(t *testing.T) {
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("builds everything twice: for make soak")
	}
	t.Parallel()
	first, second := copied(t), t.TempDir()
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, src := range []string{first, second} {
		out := t.TempDir()
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", out, "./cmd/hub", "./cmd/agentd")
		cmd.Dir, cmd.Env = src, append(os.Environ(), "CGO_ENABLED=0", "GOCACHE="+t.TempDir())
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		sums = append(sums, sumOf(t, out, "hub")+" "+sumOf(t, out, "agentd"))
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ: %s, %s", sums[0], sums[1])
	}
}

// copied is a copy of what is in the repository, in a folder of its own.
func copied(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = "../.."
	files, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range strings.Split(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sumOf(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
