package policy

import "mvdan.cc/sh/v3/syntax"

func (s *scope) assign(a *syntax.Assign, in func() origin) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		s.give(name, func() value { return value{} })
		for _, e := range a.Array.Elems {
			s.arithm(e.Index, in)
			s.word(e.Value, in)
			s.give(name, func() value { return s.fieldsValue(e.Value) })
		}
		s.vars[name].list = true
	case a.Value != nil:
		s.word(a.Value, in)
		s.give(name, func() value {
			v := s.textValue(a.Value)
			if a.Append { // a part of a text
				v = value{origin: openly(v)}
			}
			return v
		})
	default: // also local name
		s.give(name, func() value { return value{texts: []string{""}} })
	}
	if a.Index != nil {
		s.arithm(a.Index, in)
		s.vars[name].list = true
	}
}

// word notes what stands in the substitutions of a word.
func (s *scope) word(w *syntax.Word, in func() origin) {
	if w != nil {
		s.nodes(w, in)
	}
}

// nodes goes through whatever holds substitutions and arithmetic.
func (s *scope) nodes(n syntax.Node, in func() origin) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			s.list(n.Stmts, in)
			return false
		case *syntax.ProcSubst:
			s.list(n.Stmts, in)
			return false
		case *syntax.UnaryArithm:
			s.counts(n.X, n.Op == syntax.Inc || n.Op == syntax.Dec)
		case *syntax.BinaryArithm:
			s.counts(n.X, assigns(n.Op))
		}
		return true
	})
}

// arithm notes what stands in an expression, if there is one.
func (s *scope) arithm(x syntax.ArithmExpr, in func() origin) {
	if x != nil {
		s.nodes(x, in)
	}
}

// counts notes that arithmetic gives a variable a number.
func (s *scope) counts(x syntax.ArithmExpr, does bool) {
	if e, ok := indexed(x); ok && does {
		s.give(e.Param.Value, func() value { return value{origin: plain} })
		s.vars[e.Param.Value].list = true
	}
	w, ok := x.(*syntax.Word)
	if ok && does && variable.MatchString(w.Lit()) {
		s.give(w.Lit(), func() value { return value{origin: plain} })
	}
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}
