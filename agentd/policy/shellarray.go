package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Arrays: elements are set and read by a number, or by a key where the text declares a map (declare -A). The key of a
// map is a text and nothing else; a number is worked out, and judged as arithmetic is.

// declaring are the commands that declare variables.
var declaring = words("local export declare typeset")

// arrayFlags are the flags of a declaration that say which kind of array it is.
var arrayFlags = words("-a -A")

// Declared splits a declaration into the kind of array that it is of, "-a", "-A" or none, and its variables. ok is false
// when it holds another flag. The runner reads it with it too.
func Declared(c *syntax.DeclClause) (kind string, vars []*syntax.Assign, ok bool) {
	if !declaring[c.Variant.Value] {
		return "", nil, false
	}
	for i, a := range c.Args {
		if a.Name != nil {
			return kind, c.Args[i:], !slices.ContainsFunc(c.Args[i:], func(a *syntax.Assign) bool { return a.Name == nil || a.Naked && a.Value != nil })
		}
		if kind != "" || a.Value == nil || !arrayFlags[a.Value.Lit()] || c.Variant.Value == "export" {
			return "", nil, false
		}
		kind = a.Value.Lit()
	}
	return kind, nil, false
}

// Element is what arithmetic changes as a whole: name[index]++ and name[index] += more.
func Element(x syntax.ArithmExpr) (e *syntax.ParamExp, ok bool) {
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			return indexed(x.X)
		}
	case *syntax.BinaryArithm:
		if assigns(x.Op) {
			return indexed(x.X)
		}
	}
	return nil, false
}

// indexed is the element of an array that a word of arithmetic consists of.
func indexed(x syntax.ArithmExpr) (*syntax.ParamExp, bool) {
	w, ok := x.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return nil, false
	}
	e, ok := w.Parts[0].(*syntax.ParamExp)
	return e, ok && e.Index != nil && e.Param != nil && !everyElement(e.Index)
}

// index judges what stands between the brackets behind a name.
func (j *judge) index(name string, x syntax.ArithmExpr) {
	if runsSomething(x) {
		j.cannot("a command between brackets")
	}
	if !j.scope.maps[name] {
		j.arithm(x)
		return
	}
	w, ok := x.(*syntax.Word)
	if !ok {
		j.cannot("a key that is no word; put it in quotes")
		return
	}
	j.look(w)
}

// runsSomething says whether a command stands in an expression.
func runsSomething(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// changes judges arithmetic that stands alone, and may so change an element of an array.
func (j *judge) changes(x syntax.ArithmExpr) {
	e, ok := Element(x)
	if !ok {
		j.arithm(x)
		return
	}
	j.variable(e.Param.Value, arg{fixed: true}, false)
	j.index(e.Param.Value, e.Index)
	j.countsFor(e.Param.Value, e.Pos().Offset())
	if b, ok := x.(*syntax.BinaryArithm); ok {
		j.arithm(b.Y)
	}
}

// declare judges local variables, arrays, and the few that programs are given.
func (j *judge) declare(c *syntax.DeclClause) {
	_, vars, ok := Declared(c)
	if !ok || vars == nil || c.Variant.Value != "local" && c.Variant.Value != "export" && len(vars) == len(c.Args) {
		j.cannot("this kind of declaration")
		j.inside(c)
		return
	}
	for _, a := range vars {
		j.assign(a, c.Variant.Value == "export")
	}
}

// declare notes what a declaration sets.
func (s *scope) declare(c *syntax.DeclClause, in func() origin) {
	kind, _, ok := Declared(c)
	for _, a := range c.Args {
		s.assign(a, in)
		if ok && kind != "" && a.Name != nil {
			s.vars[a.Name.Value].list = true
			s.maps[a.Name.Value] = s.maps[a.Name.Value] || kind == "-A"
		}
	}
}

// numbers are the variables whose values count in arithmetic: all in a word, save those in the key of a map, and those
// in a command that prints something else.
func (s *scope) numbers(w *syntax.Word) []string {
	var out []string
	syntax.Walk(w, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok {
			o := s.prints(c.Stmts, made)
			return o != plain && o != found
		}
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return true
		}
		if !slices.Contains(out, p.Param.Value) {
			out = append(out, p.Param.Value)
		}
		return p.Index == nil || !s.maps[p.Param.Value]
	})
	return out
}
