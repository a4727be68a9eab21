package policy

import "mvdan.cc/sh/v3/syntax"

// Collecting goes through a whole text once, before it is judged, and notes what gives variables their values.

func (s *scope) list(stmts []*syntax.Stmt, in func() origin) {
	for _, st := range stmts {
		s.stmt(st, in)
		s.sure(st, stmts[len(stmts)-1].End().Offset())
	}
}

// sure notes the variables that a statement sets whatever happens: they are set until the list ends that it stands in.
func (s *scope) sure(st *syntax.Stmt, end uint) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			s.setFrom(c.Assigns, c.End().Offset(), end)
		}
	case *syntax.DeclClause:
		s.setFrom(c.Args, c.End().Offset(), end)
	case *syntax.BinaryCmd:
		if !isPipe(c) {
			s.sure(c.X, end)
		}
	}
}

func (s *scope) setFrom(assigns []*syntax.Assign, from, end uint) {
	for _, a := range assigns {
		if a.Name != nil && s.vars[a.Name.Value] != nil && a.Index == nil {
			v := s.vars[a.Name.Value]
			v.set = append(v.set, stretch{from, end})
		}
	}
}

func (s *scope) stmt(st *syntax.Stmt, in func() origin) {
	for _, r := range st.Redirs {
		s.word(r.Word, in)
		s.word(r.Hdoc, in)
	}
	if st.Cmd != nil {
		s.command(st.Cmd, func() origin { return s.stdin(st, in()) })
	}
}

// stdin is where a statement's input comes from, given what it would be without redirections.
func (s *scope) stdin(st *syntax.Stmt, in origin) origin {
	for _, r := range st.Redirs {
		switch {
		case r.N != nil && r.N.Value != "0":
		case r.Op == syntax.RdrIn:
			in = found
			if p := procSubst(r.Word); p != nil {
				in = s.prints(p.Stmts, plain)
			}
		case r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc:
			in = s.wordOrigin(r.Hdoc)
		case r.Op == syntax.WordHdoc:
			in = s.wordOrigin(r.Word)
		}
	}
	return in
}

// procSubst is the substitution that a word consists of: <(commands).
func procSubst(w *syntax.Word) *syntax.ProcSubst {
	if w == nil || len(w.Parts) != 1 {
		return nil
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	if !ok || p.Op != syntax.CmdIn {
		return nil
	}
	return p
}

func (s *scope) command(c syntax.Command, in func() origin) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		s.call(c, in)
	case *syntax.BinaryCmd:
		s.binary(c, in)
	case *syntax.ForClause:
		s.loop(c, in)
		s.list(c.Do, in)
	case *syntax.FuncDecl:
		s.stmt(c.Body, in)
	case *syntax.DeclClause:
		s.declare(c, in)
	default:
		s.inner(c, in)
	}
}

// inner goes through the commands that hold no variables of their own.
func (s *scope) inner(c syntax.Command, in func() origin) {
	switch c := c.(type) {
	case *syntax.Subshell:
		s.list(c.Stmts, in)
	case *syntax.Block:
		s.list(c.Stmts, in)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			s.list(c.Cond, in)
			s.list(c.Then, in)
		}
	case *syntax.WhileClause:
		s.list(c.Cond, in)
		s.list(c.Do, in)
	case *syntax.CaseClause:
		s.word(c.Word, in)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				s.word(p, in)
			}
			s.list(item.Stmts, in)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			s.stmt(c.Stmt, in)
		}
	case *syntax.ArithmCmd, *syntax.TestClause:
		s.nodes(c, in)
	}
}

func (s *scope) binary(c *syntax.BinaryCmd, in func() origin) {
	if !isPipe(c) {
		s.stmt(c.X, in)
		s.stmt(c.Y, in)
		return
	}
	stages := Stages(c)
	for i, st := range stages {
		before := in
		if i > 0 {
			before = func() origin { return s.pipe(stages[:i], in()) }
		}
		s.stmt(st, before)
	}
}

func (s *scope) loop(c *syntax.ForClause, in func() origin) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		s.give(l.Name.Value, func() value { return value{} })
		if !l.InPos.IsValid() { // all parameters of the function
			s.give(l.Name.Value, func() value { return s.lookup("@", l.Pos().Offset(), Env{}) })
		}
		for _, w := range l.Items {
			s.word(w, in)
			s.give(l.Name.Value, func() value {
				v := s.fieldsValue(w)
				v.filled = v.origin == existing && !quotes(w) // what is split into words leaves none that is empty
				v.maybe = v.filled
				return v
			})
		}
		v := s.vars[l.Name.Value]
		v.set = append(v.set, stretch{l.End().Offset(), c.End().Offset()})
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			s.arithm(x, in)
		}
	}
}
