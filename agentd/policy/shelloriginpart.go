package policy

import (
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

func hasMeta(text string) bool { return pattern.HasMeta(text, 0) }

// origin is the worst origin of the parts of a word.
func (s *scope) origin(w *syntax.Word, b binding) origin {
	o := known
	for _, p := range w.Parts {
		o = worst(o, s.part(p, b))
	}
	return o
}

func (s *scope) part(p syntax.WordPart, b binding) origin {
	switch p := p.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return known
	case *syntax.DblQuoted:
		o := known
		for _, q := range p.Parts {
			o = worst(o, s.part(q, b))
		}
		return o
	case *syntax.ArithmExp:
		return plain
	case *syntax.CmdSubst:
		if _, ok := s.printed(p.Stmts, b); ok {
			return known
		}
		return s.prints(p.Stmts, made)
	case *syntax.ParamExp:
		return s.param(p, b)
	case *syntax.ProcSubst:
		return existing // the name of something to read
	}
	return made
}

// param is the origin of an expansion.
func (s *scope) param(p *syntax.ParamExp, b binding) origin {
	if p.Param == nil {
		return made
	}
	v, ok := b[p.Param.Value]
	switch {
	case p.Length:
		return plain
	case p.Excl: // the keys of a map, or numbers
		return made
	case !ok:
		return made
	case p.Exp != nil:
		return s.expansion(p, v, b)
	case v.origin == known && p.Index == nil && (p.Slice == nil || digitsOnly(p.Slice)):
		return known
	case p.Slice != nil:
		return openly(v).cut()
	case p.Repl == nil:
		return openly(v)
	}
	return made
}

// digitsOnly says whether the numbers of a slice stand there as such.
func digitsOnly(s *syntax.Slice) bool {
	for _, x := range []syntax.ArithmExpr{s.Offset, s.Length} {
		if w, ok := x.(*syntax.Word); x != nil && (!ok || w.Lit() == "") {
			return false
		}
	}
	return true
}

// expansion is the origin of ${name-word}, ${name%pattern} and their like.
func (s *scope) expansion(p *syntax.ParamExp, v value, b binding) origin {
	word := known
	if p.Exp.Word != nil {
		word = s.origin(p.Exp.Word, b)
	}
	switch p.Exp.Op {
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull: // what it holds, or the end of all
		return openly(v)
	case syntax.DefaultUnset, syntax.AlternateUnset: // whether it is set is not followed
		return worst(openly(v), s.wordOrigin(p.Exp.Word))
	}
	if v.origin == known && word == known && p.Index == nil {
		return known
	}
	v.origin = openly(v)
	switch p.Exp.Op {
	case syntax.DefaultUnsetOrNull, syntax.AlternateUnsetOrNull:
		if p.Exp.Word != nil {
			word = s.wordOrigin(p.Exp.Word)
		}
		return worst(v.origin, word)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return v.origin
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return v.origin.cut()
	}
	return made
}

// exps are the expansions of a variable that only compute a text.
var exps = []syntax.ParExpOperator{
	syntax.DefaultUnsetOrNull, syntax.AlternateUnsetOrNull,
	syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
	syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll,
	syntax.DefaultUnset, syntax.AlternateUnset, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
}
