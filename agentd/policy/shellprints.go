package policy

import "mvdan.cc/sh/v3/syntax"

// What commands print, as far as it matters for the words that it becomes: whether the text could have been put
// together by the command, so that it means a file or a flag that the text does not show.

// maxFollow is how deep functions and substitutions are followed.
const maxFollow = 12

// prints is the origin of what some statements print, given that of their input.
func (s *scope) prints(stmts []*syntax.Stmt, in origin) origin {
	s.steps++
	if s.depth++; s.depth > maxFollow || s.steps > maxSteps {
		s.depth--
		return made
	}
	defer func() { s.depth-- }()
	o := plain
	for _, st := range stmts {
		if st.Cmd != nil {
			o = worst(o, s.printsOne(st.Cmd, s.stdin(st, in)))
		}
	}
	return o
}

// pipe is the origin of what comes out of a pipeline.
func (s *scope) pipe(stages []*syntax.Stmt, in origin) origin {
	for _, st := range stages {
		in = s.prints([]*syntax.Stmt{st}, in)
	}
	return in
}

func (s *scope) printsOne(c syntax.Command, in origin) origin {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return s.printsCall(c, in)
	case *syntax.BinaryCmd:
		if isPipe(c) {
			return s.pipe(Stages(c), in)
		}
		return s.prints([]*syntax.Stmt{c.X, c.Y}, in)
	case *syntax.Subshell:
		return s.prints(c.Stmts, in)
	case *syntax.Block:
		return s.prints(c.Stmts, in)
	case *syntax.WhileClause:
		return worst(s.prints(c.Cond, in), s.prints(c.Do, in))
	case *syntax.ForClause:
		return s.prints(c.Do, in)
	case *syntax.IfClause:
		o := plain
		for ; c != nil; c = c.Else {
			o = worst(o, s.prints(c.Cond, in), s.prints(c.Then, in))
		}
		return o
	case *syntax.CaseClause:
		o := plain
		for _, item := range c.Items {
			o = worst(o, s.prints(item.Stmts, in))
		}
		return o
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.FuncDecl, *syntax.DeclClause:
		return plain
	}
	return made
}
