package agentd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/export"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/wire"
)

// TestHandler: every method that package wire declares has one handler, and every reliable frame that the hub sends has one
// taker; no part answers or takes anything else. The link itself answers an echo.
func TestHandler(t *testing.T) {
	t.Parallel()
	d := &Daemon{
		runtime: &runtime.Runtime{}, gate: &gate.Gate{}, live: &config.Live{}, keys: &approver.Keys{}, counter: &counter.Counter{},
		receipts: &receipt.Log{}, exports: &export.Exporter{},
	}
	h, err := d.newHandler()
	if err != nil {
		t.Fatal(err)
	}
	want := declared[wire.Method](t, "Method", "")
	want = slices.DeleteFunc(want, func(m wire.Method) bool { return m == wire.MethodEcho })
	if got := slices.Sorted(maps.Keys(h.methods)); !slices.Equal(got, want) {
		t.Errorf("methods with a handler:\n%q\ndeclared:\n%q", got, want)
	}
	sent := declared[wire.Type](t, "Type", "Types that the hub sends.")
	sent = slices.DeleteFunc(sent, func(f wire.Type) bool { return !f.Reliable() })
	if got := slices.Sorted(maps.Keys(h.Frames)); !slices.Equal(got, sent) {
		t.Errorf("frames with a taker:\n%q\nsent:\n%q", got, sent)
	}
}

// declared gives, in order, the constants of package wire of a type, or those whose names begin with it: of all blocks, or
// of the one with this comment.
func declared[T ~string](t *testing.T, typ, block string) (all []T) {
	t.Helper()
	files, err := filepath.Glob("wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.CONST && (block == "" || strings.TrimSpace(d.Doc.Text()) == block) {
				all = append(all, valuesOf[T](t, d, typ)...)
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("package wire declares no %s", typ)
	}
	slices.Sort(all)
	return all
}

// valuesOf gives the constants of a block. Each must be written as a string of its type, or it would be missed here.
func valuesOf[T ~string](t *testing.T, d *ast.GenDecl, typ string) (all []T) {
	t.Helper()
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec) // a const declaration holds nothing else
		of, _ := v.Type.(*ast.Ident)
		named := of != nil && of.Name == typ
		if !named && !strings.HasPrefix(v.Names[0].Name, typ) {
			continue
		}
		lit, ok := (*ast.BasicLit)(nil), len(v.Values) == 1
		if ok {
			lit, ok = v.Values[0].(*ast.BasicLit)
		}
		if !named || !ok {
			t.Fatalf("constant %s of package wire is not a string of type %s", v.Names[0].Name, typ)
		}
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, T(s))
	}
	return all
}
