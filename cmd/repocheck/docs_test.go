package repocheck

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs_everyPackage: one doc.go with the package comment, and no second comment elsewhere.
func TestDocs_everyPackage(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Error(err)
				continue
			}
			if has := f.Doc != nil; has != (file == "doc.go") && !strings.HasSuffix(file, "_templ.go") {
				t.Errorf("%s/%s: package comment %v, want it in doc.go and only there", short(p.ImportPath), file, has)
			}
		}
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", short(p.ImportPath))
		}
	}
}

var usedBy = regexp.MustCompile(`(?s)Used by: (.*?)\.(?:\s|$)`)

// TestDocs_usedByIsTrue compares the "Used by" of each doc.go with who really imports the package.
func TestDocs_usedByIsTrue(t *testing.T) {
	t.Parallel()
	all := list(t)
	for _, p := range all {
		said, ok := namedUsers(t, p)
		if !ok {
			continue
		}
		users := importers(all, p.ImportPath)
		for _, u := range users {
			if !slices.ContainsFunc(said, func(s string) bool { return under(u, s) }) {
				t.Errorf("%s is imported by %s, which its doc.go does not name", short(p.ImportPath), u)
			}
		}
		for _, s := range said {
			if !slices.ContainsFunc(users, func(u string) bool { return under(u, s) }) {
				t.Errorf("%s says it is used by %s, which does not import it", short(p.ImportPath), s)
			}
		}
	}
}

// namedUsers reads the list; ok is false when the package names none to compare.
func namedUsers(t *testing.T, p pkg) (said []string, ok bool) {
	b, err := os.ReadFile(filepath.Join(p.Dir, "doc.go"))
	if err != nil {
		return nil, false
	}
	text := strings.ReplaceAll(string(b), "\n//", "")
	m := usedBy.FindStringSubmatch(text)
	if m == nil {
		if p.Name != "main" {
			t.Errorf("%s: doc.go has no sentence \"Used by: …\"", short(p.ImportPath))
		}
		return nil, false
	}
	for _, word := range strings.Split(m[1], ",") {
		word = strings.TrimSpace(regexp.MustCompile(`\(.*?\)`).ReplaceAllString(word, ""))
		said = append(said, strings.TrimSuffix(word, "/…"))
	}
	if slices.Contains(said, "tests only") || slices.Contains(said, "nobody") {
		return nil, false
	}
	return said, true
}

func importers(all []pkg, path string) []string {
	var users []string
	for _, p := range all {
		if p.ImportPath != path && !isRig(p.ImportPath) && slices.Contains(p.Imports, path) {
			users = append(users, short(p.ImportPath))
		}
	}
	return users
}
