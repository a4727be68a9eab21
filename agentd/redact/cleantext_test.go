package redact

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cleanKinds are the files of others that are read as clean text: code of several languages, and what people wrote about it.
var cleanKinds = []string{".go", ".md", ".txt", ".html", ".s", ".c", ".h", ".js", ".css", ".sql"}

const (
	cleanLeast  = 10 << 20 // bytes of clean text
	cleanOfKind = 6 << 20  // bytes of one kind of file at most
)

// TestCleanText: in ten megabytes that others wrote, the source of Go and of the modules that this one is made of, less than one
// thing in a megabyte is taken for a secret, and the word password never. What holds keys for
// its tests is left out, and manuals, which show some.
func TestCleanText(t *testing.T) {
	t.Parallel()
	c := cleanReader{t: t, e: New(), read: map[string]int{}}
	for _, root := range othersSource(t) {
		if err := filepath.WalkDir(root, c.visit); err != nil {
			t.Fatal(err)
		}
	}
	if c.all < cleanLeast || c.found >= c.all>>20 {
		t.Errorf("%d findings in %d bytes", c.found, c.all)
	}
	t.Logf("%d findings in %d bytes: %v", c.found, c.all, c.read)
}

// othersSource are the folders of what others wrote: it is here wherever this test can be built.
func othersSource(t *testing.T) []string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{if not .Main}}{{.Dir}}{{end}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	return append(strings.Fields(string(modules)), filepath.Join(strings.TrimSpace(string(root)), "src"))
}

// cleanReader scans files and counts what it finds.
type cleanReader struct {
	t          *testing.T
	e          *Engine
	read       map[string]int // bytes of a kind of file
	all, found int
}

func (c *cleanReader) visit(path string, d fs.DirEntry, err error) error {
	kind := filepath.Ext(path)
	switch {
	case err != nil:
		return err
	case d.IsDir() && slices.Contains([]string{"testdata", "crypto", "docs"}, d.Name()):
		return fs.SkipDir
	case !d.Type().IsRegular(), !slices.Contains(cleanKinds, kind), c.read[kind] > cleanOfKind, strings.HasSuffix(path, "_test.go"):
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, findings, err := c.e.Check(string(text))
	for _, x := range findings {
		c.found++
		c.t.Logf("%s in %s: %q", x.Kind, filepath.Base(path), text[max(0, x.Start-40):x.End])
		if strings.EqualFold(string(text[x.Start:x.End]), "password") {
			c.t.Errorf("the word password is taken out of %s", path)
		}
	}
	c.read[kind], c.all = c.read[kind]+len(text), c.all+len(text)
	return err
}
