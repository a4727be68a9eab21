package repocheck

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns   = 140 // a tab counts four
	maxOperators = 4   // of && and || in one condition
	knownStyle   = "testdata/known_style.txt"
)

var shrink = flag.Bool("shrink", false, "write smaller counts of known places into "+knownStyle)

// places counts what breaks the rules in one file.
type places struct{ lines, conditions int }

// TestStyle holds new code to the limits above. Files that broke them before are listed with their counts in knownStyle; a
// count may only shrink.
func TestStyle(t *testing.T) {
	t.Parallel()
	known, found := readKnown(t), map[string]places{}
	for _, file := range goFiles(t) {
		p, err := countPlaces(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if p != (places{}) {
			found[file] = p
		}
		if was := known[file]; p.lines > was.lines || p.conditions > was.conditions {
			t.Errorf("%s: %d lines over %d columns (known: %d), %d conditions with more than %d boolean operators (known: %d)",
				file, p.lines, maxColumns, was.lines, p.conditions, maxOperators, was.conditions)
		}
	}
	if *shrink && !t.Failed() {
		writeKnown(t, found)
		return
	}
	for file, was := range known {
		if p := found[file]; p.lines < was.lines || p.conditions < was.conditions {
			t.Errorf("%s is better than %s says: run `make fmt`", file, knownStyle)
		}
	}
}

// TestStyle_counts: the counter sees what it should.
func TestStyle_counts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.go")
	long := strings.Repeat("é", maxColumns-4)
	src := "package x\n\nfunc f(a, b, c, d, e, g bool) bool {\n\tif a && b || c && (d || !e) {\n\t\treturn a || b || c || d || e || g\n\t}\n" +
		"\t_ = a && b && f(a && b || c && d || e && g, d, e, g, a, b)\n\treturn e\n}\n\n//  " + long + "\n//   " + long + "\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := countPlaces(file)
	if want := (places{lines: 1, conditions: 2}); err != nil || got != want {
		t.Errorf("counted %+v (error %v), want %+v", got, err, want)
	}
}

// goFiles lists the Go files that people write, relative to the top of the repository.
func goFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "*.go")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(file string) bool {
		_, err := os.Stat(filepath.Join("../..", file))
		return err != nil || strings.HasSuffix(file, "_templ.go")
	})
}

func countPlaces(path string) (places, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return places{}, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return places{}, err
	}
	var p places
	for line := range bytes.Lines(src) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if utf8.RuneCount(line)+3*bytes.Count(line, []byte("\t")) > maxColumns {
			p.lines++
		}
	}
	parts := map[ast.Expr]bool{} // of conditions that were counted whole
	ast.Inspect(f, func(n ast.Node) bool {
		e, ok := n.(*ast.BinaryExpr)
		if ok && !parts[e] && operators(e, parts) > maxOperators {
			p.conditions++
		}
		return true
	})
	return p, nil
}

func isBoolean(op token.Token) bool { return op == token.LAND || op == token.LOR }

// operators counts the boolean operators of one condition and notes its parts. Arguments of calls are conditions of their own.
func operators(e ast.Expr, parts map[ast.Expr]bool) int {
	parts[e] = true
	switch e := e.(type) {
	case *ast.ParenExpr:
		return operators(e.X, parts)
	case *ast.UnaryExpr:
		return operators(e.X, parts)
	case *ast.BinaryExpr:
		if isBoolean(e.Op) {
			return 1 + operators(e.X, parts) + operators(e.Y, parts)
		}
	}
	return 0
}

func readKnown(t *testing.T) map[string]places {
	t.Helper()
	b, err := os.ReadFile(knownStyle)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]places{}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var file string
		var p places
		if _, err := fmt.Sscan(lines.Text(), &file, &p.lines, &p.conditions); err != nil {
			t.Fatalf("%s: %q: %v", knownStyle, lines.Text(), err)
		}
		known[file] = p
	}
	return known
}

func writeKnown(t *testing.T, found map[string]places) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "# file, lines over %d columns, conditions with more than %d boolean operators; `make fmt` shrinks it\n", maxColumns, maxOperators)
	for _, file := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "%s %d %d\n", file, found[file].lines, found[file].conditions)
	}
	if err := os.WriteFile(knownStyle, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
