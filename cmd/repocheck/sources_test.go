package repocheck

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// source is one file of Go that is in a program, whatever it is built for.
type source struct {
	path    string            // from the top of the repository
	imports map[string]string // name in the file → path
	paths   []string
	file    *ast.File
}

var sources = sync.OnceValues(func() (all []source, err error) {
	top := filepath.Join("..", "..")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return nil // something that runs beside us, in var
			}
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != top && (name[0] == '.' || name == "var" || name == "bin" || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		s, err := parseSource(path, nil)
		s.path = filepath.ToSlash(strings.TrimPrefix(path, top+string(filepath.Separator)))
		all = append(all, s)
		return err
	})
	return all, err
})

func parseSource(path string, text any) (source, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{path: path, imports: map[string]string{}, file: f}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return source{}, err
		}
		name := p[strings.LastIndex(p, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		s.imports[name] = p
		s.paths = append(s.paths, p)
	}
	return s, nil
}

func allSources(t *testing.T) []source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 500 {
		t.Fatalf("only %d files were found", len(all))
	}
	return all
}

// uses lists what the file mentions of other packages, as "net.Dial"; called limits it to what it calls.
func (s source) uses(called bool) (all []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && called {
			n = ast.Unparen(call.Fun)
		} else if called {
			return true
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := sel.X.(*ast.Ident); ok && s.imports[of.Name] != "" {
			all = append(all, s.imports[of.Name]+"."+sel.Sel.Name)
		}
		return true
	})
	return all
}
