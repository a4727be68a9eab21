package gate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Deps           []string
}

// seesPermit reports whether the package can name gate.Permit, or have a value of it.
func (p listed) seesPermit() bool {
	const path = "gatehouse/agentd/gate"
	return p.ImportPath == path || slices.Contains(p.Deps, path)
}

// TestOnlyTheGateRunsTools walks every package of the module that can see gate.Permit and looks, with the compiler's
// own types, at every mention of a method that takes a permit to run. Only one place may mention it: the gate's run.
func TestOnlyTheGateRunsTools(t *testing.T) {
	t.Parallel()
	all := list(t)
	var seen []string
	for path, p := range all {
		ours := strings.HasPrefix(path, "gatehouse/agentd") || strings.HasPrefix(path, "gatehouse/cmd/agentd")
		if !ours || !p.seesPermit() {
			continue
		}
		for _, at := range runs(t, p, all) {
			seen = append(seen, strings.TrimPrefix(at, p.Dir+string(filepath.Separator))+" in "+path)
		}
	}
	if len(seen) != 1 || !strings.HasPrefix(seen[0], "run.go:") || !strings.HasSuffix(seen[0], "in gatehouse/agentd/gate") {
		t.Errorf("Tool.Run is mentioned at %q, want once, in run.go of the gate", seen)
	}
}

func list(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Deps",
		"gatehouse/agentd/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]listed{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// runs lists where a package mentions a method Run that takes a permit.
func runs(t *testing.T, p listed, all map[string]listed) []string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if all[path].Export == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(all[path].Export)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		t.Fatalf("%s: %v", p.ImportPath, err)
	}
	var found []string
	for sel, s := range info.Selections {
		if s.Kind() != types.FieldVal && takesPermit(s.Obj()) && s.Obj().Name() == "Run" {
			found = append(found, fset.Position(sel.Pos()).String())
		}
	}
	return found
}

// takesPermit says whether a function has a parameter of type gate.Permit.
func takesPermit(o types.Object) bool {
	sig, ok := o.Type().(*types.Signature)
	if !ok {
		return false
	}
	for v := range sig.Params().Variables() {
		if v.Type().String() == "gatehouse/agentd/gate.Permit" {
			return true
		}
	}
	return false
}

// TestMintIsCalledOnce: permits come from one line of the gate.
func TestMintIsCalledOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "mint" {
					calls[name]++
				}
			}
			return true
		})
	}
	if len(calls) != 1 || calls["run.go"] != 1 {
		t.Errorf("mint is called in %v", calls)
	}
}
