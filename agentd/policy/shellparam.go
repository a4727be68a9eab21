package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param allows the expansions of a variable that only compute a text from it. Those that reach other names, set
// something or read the text as code are refused.
func (j *judge) param(p *syntax.ParamExp) {
	name := paramName(p)
	plainName := variable.MatchString(name) || param(name) || name != "" && len(name) == 1 && strings.Contains("@*#?$", name)
	keys := p.Excl && variable.MatchString(name) && p.Index != nil && everyElement(p.Index) && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Length
	if !plainName || p.Excl && !keys || p.Width || p.IsSet || p.Names != 0 || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		j.cannot("this expansion of a variable")
		j.inside(p)
		return
	}
	switch {
	case p.Index == nil:
	case !everyElement(p.Index):
		j.index(name, p.Index)
	case j.scope.maps[name] && (p.Length || p.Slice != nil || p.Repl != nil || p.Exp != nil):
		j.cannot("this expansion of all of a map")
	}
	if p.Slice != nil {
		j.arithm(p.Slice.Offset)
		j.arithm(p.Slice.Length)
	}
	if p.Repl != nil {
		if anchored(p.Repl) {
			j.cannot("replacing at one end of a text only")
		}
		j.look(p.Repl.Orig)
		j.look(p.Repl.With)
	}
	if p.Exp != nil {
		if !slices.Contains(exps, p.Exp.Op) {
			j.cannot("this expansion of a variable")
		}
		j.look(p.Exp.Word)
	}
}

// anchored says whether a pattern to be replaced begins with a mark of one end, which other shells read as such.
func anchored(r *syntax.Replace) bool {
	if r.All || r.Orig == nil || len(r.Orig.Parts) == 0 {
		return false
	}
	l, ok := r.Orig.Parts[0].(*syntax.Lit)
	return ok && strings.IndexAny(l.Value, "#%") == 0
}

func everyElement(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// arithm judges arithmetic: numbers, variables that hold numbers, and commands that print them. Shells read the text
// of a variable as arithmetic again, with the commands in it; here it counts as a number or nothing.
func (j *judge) arithm(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if a, ok := n.(syntax.ArithmExpr); ok {
			if _, ok := Element(a); ok {
				j.cannot("changing an element of an array on the way")
				return false
			}
		}
		switch n := n.(type) {
		case *syntax.Word:
			j.arithmWord(n)
			return false
		case *syntax.BinaryArithm:
			if w, ok := n.X.(*syntax.Word); ok && n.Op == syntax.Assgn && variable.MatchString(w.Lit()) {
				j.variable(w.Lit(), arg{fixed: true}, false)
				j.arithm(n.Y)
				return false
			}
			return true
		case *syntax.UnaryArithm, *syntax.ParenArithm, nil:
			return true
		}
		j.cannot("this kind of arithmetic")
		return false
	})
}

func (j *judge) arithmWord(w *syntax.Word) {
	j.look(w)
	for _, name := range j.scope.numbers(w) {
		j.countsFor(name, w.Pos().Offset())
	}
	switch text := w.Lit(); {
	case variable.MatchString(text):
		j.variable(text, arg{fixed: true}, false)
		j.countsFor(text, w.Pos().Offset())
	case text != "" && strings.Trim(text, "0123456789abcdefABCDEFxX#") == "":
	case text != "" || len(w.Parts) != 1:
		j.cannot("this kind of arithmetic")
	default:
		switch w.Parts[0].(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.DblQuoted:
		default:
			j.cannot("this kind of arithmetic")
		}
	}
}

// countsFor judges a variable that is used as a number where the text stands at p.
func (j *judge) countsFor(name string, p uint) {
	v := j.scope.lookup(name, p, j.env)
	if v.origin == made || slices.ContainsFunc(v.texts, func(t string) bool { return !numeral.MatchString(t) }) {
		j.raise(Red, "A shell would run what stands in a text that is used as a number.")
	}
}
