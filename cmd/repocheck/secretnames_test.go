package repocheck

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	secretName = regexp.MustCompile(`(?i)passw|passphrase|secret|plain|cleartext|credential`)
	valueName  = regexp.MustCompile(`(?i)value`)
	column     = regexp.MustCompile(`(?i)(\w+)"?\s+(?:text|varchar|bytea|jsonb?)\b`)
)

// secretTexts are the names in a file that are those of secrets, of whatever holds text: fields, parameters and results,
// types, and the fields of forms. In files about credentials, a value is one too.
func (s source) secretTexts() (all []string) {
	about := strings.Contains(s.path, "credential") || strings.Contains(s.path, "secret")
	note := func(name string) {
		if secretName.MatchString(name) || about && valueName.MatchString(name) {
			all = append(all, name)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				if isText(n.Type) {
					note(name.Name)
				}
			}
		case *ast.TypeSpec:
			if isText(n.Type) {
				note(n.Name.Name)
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "FormValue" && len(n.Args) == 1 {
				if lit, ok := n.Args[0].(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(lit.Value) // it was parsed
					note(name)
				}
			}
		}
		return true
	})
	return all
}

// isText says whether a type holds text: strings, bytes, JSON, anything, or collections and pointers of them.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"string", "byte", "rune", "any"}, e.Name)
	case *ast.SelectorExpr:
		return e.Sel.Name == "RawMessage" || e.Sel.Name == "RawBytes"
	case *ast.StarExpr:
		return isText(e.X)
	case *ast.ArrayType:
		return isText(e.Elt)
	case *ast.Ellipsis:
		return isText(e.Elt)
	case *ast.MapType:
		return isText(e.Value)
	case *ast.ChanType:
		return isText(e.Value)
	}
	return false
}

// secretColumns are the columns of the hub's database that are named like a secret and hold text, and their files.
func secretColumns(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../migrations/*.sql")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	found := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range column.FindAllStringSubmatch(string(b), -1) {
			if secretName.MatchString(m[1]) || valueName.MatchString(m[1]) {
				found[m[1]] = "migrations/" + filepath.Base(file)
			}
		}
	}
	return found
}
