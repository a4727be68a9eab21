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
	if !plainName || p.Excl || p.Width || p.IsSet || p.Names != 0 || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		j.cannot("this expansion of a variable")
		j.inside(p)
		return
	}
	if p.Index != nil && !everyElement(p.Index) {
		j.arithm(p.Index)
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
	for _, name := range names(w) {
		j.counts(name, w)
	}
	switch text := w.Lit(); {
	case variable.MatchString(text):
		j.variable(text, arg{fixed: true}, false)
		j.counts(text, w)
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

// counts judges a variable that is used as a number.
func (j *judge) counts(name string, w *syntax.Word) {
	v := j.scope.lookup(name, w.Pos().Offset(), j.env)
	if v.origin == made || v.origin == known && slices.ContainsFunc(v.texts, func(t string) bool { return !numeral.MatchString(t) }) {
		j.raise(Red, "A shell would run what stands in a text that is used as a number.")
	}
}
