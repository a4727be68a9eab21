package i18n

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// use is one place where code names a key.
type use struct {
	where string
	key   Key
	args  []string // names given; nil when they are not literal
	open  bool     // args could not be read
}

var (
	keyShape   = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$`)
	beginShape = regexp.MustCompile(`^[a-z][a-z0-9_]*\.([a-z0-9_]+[._])*$`)
	endShape   = regexp.MustCompile(`^[._][a-z0-9_]+$`)

	argShape = regexp.MustCompile(`\{(\w+)\}`)
)

// sources reads every Go file of the interface but tests; templ files have become Go.
func sources(t *testing.T) (files []*ast.File, set *token.FileSet) {
	t.Helper()
	set = token.NewFileSet()
	for _, root := range []string{"../../views", "../../app/web", "../../cmd/hub"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			files = append(files, f)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files, set
}

// TestKeys_usedExist: each key that code asks for is in the catalogue, with exactly the arguments it is given.
func TestKeys_usedExist(t *testing.T) {
	t.Parallel()
	files, set := sources(t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isT(call) {
				return true
			}
			check(t, readUse(set, call))
			return true
		})
	}
}

func check(t *testing.T, u use) {
	t.Helper()
	if u.key == "" {
		return // a key from a table: TestKeys_tablesExist
	}
	m, ok := english[u.key]
	if !ok {
		t.Errorf("%s: no text for %q", u.where, u.key)
		return
	}
	if u.open || strings.HasPrefix(string(u.key), "script.") {
		return // the script fills these in
	}
	texts := []string{m.text}
	for _, form := range m.plural {
		texts = append(texts, form)
	}
	for _, text := range texts {
		for _, name := range argShape.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(u.args, name[1]) {
				t.Errorf("%s: %q needs %s, which is not given", u.where, u.key, name[0])
			}
		}
	}
	for _, name := range u.args {
		if !strings.Contains(strings.Join(texts, " "), "{"+name+"}") && !(name == "n" && m.plural != nil) {
			t.Errorf("%s: %q has no place for %q", u.where, u.key, name)
		}
	}
}

// TestKeys_allUsed: what nobody asks for is not kept. Keys may be put together: "order.state_" + name uses those that
// begin so, key + "_hint" those that end so and whose beginning is used.
func TestKeys_allUsed(t *testing.T) {
	t.Parallel()
	files, _ := sources(t)
	named := map[string]bool{}
	var begins, ends []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := literal(n); ok {
				named[s] = true
			}
			if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
				if s, ok := literal(sum.X); ok && beginShape.MatchString(s) {
					begins = append(begins, s)
				}
				if s, ok := literal(sum.Y); ok && endShape.MatchString(s) {
					ends = append(ends, s)
				}
			}
			return true
		})
	}
	for key := range english {
		k := string(key)
		begun := slices.ContainsFunc(begins, func(s string) bool { return strings.HasPrefix(k, s) })
		ended := slices.ContainsFunc(ends, func(s string) bool { return strings.HasSuffix(k, s) && named[strings.TrimSuffix(k, s)] })
		if !named[k] && !begun && !ended {
			t.Errorf("%q is used nowhere", key)
		}
	}
}

// TestKeys_tablesExist: a literal that has the shape of a key and the first word of one is one.
func TestKeys_tablesExist(t *testing.T) {
	t.Parallel()
	areas := map[string]bool{}
	for key := range english {
		area, rest, _ := strings.Cut(string(key), ".")
		group, _, deep := strings.Cut(rest, ".")
		if deep {
			areas[area+"."+group] = true
		}
	}
	files, set := sources(t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := literal(n)
			if !ok || !keyShape.MatchString(s) || strings.Count(s, ".") < 2 || strings.HasSuffix(s, "_") {
				return true
			}
			parts := strings.SplitN(s, ".", 3)
			if _, exists := english[Key(s)]; areas[parts[0]+"."+parts[1]] && !exists {
				t.Errorf("%s: no text for %q", set.Position(n.Pos()), s)
			}
			return true
		})
	}
}

// TestKeys_shape: keys are lower case words with dots, texts are not empty, plurals speak of n.
func TestKeys_shape(t *testing.T) {
	t.Parallel()
	for key, m := range english {
		if !keyShape.MatchString(string(key)) {
			t.Errorf("%q is no key", key)
		}
		if strings.TrimSpace(m.text) == "" || m.text != strings.TrimSpace(m.text) {
			t.Errorf("%q: %q", key, m.text)
		}
	}
}

func isT(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" || len(call.Args) < 2 {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "i18n"
}

func readUse(set *token.FileSet, call *ast.CallExpr) use {
	u := use{where: set.Position(call.Pos()).String(), open: call.Ellipsis.IsValid()}
	if s, ok := literal(call.Args[1]); ok {
		u.key = Key(s)
	}
	for i := 2; i < len(call.Args); i += 2 {
		name, ok := literal(call.Args[i])
		u.open = u.open || !ok
		u.args = append(u.args, name)
	}
	return u
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
