package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
			s.give(l.Name.Value, func() value { return s.fieldsValue(w) })
		}
		v := s.vars[l.Name.Value]
		v.set = append(v.set, stretch{l.End().Offset(), c.End().Offset()})
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			s.arithm(x, in)
		}
	}
}

// call notes the assignments of a command, what it reads into variables, and what functions are given.
func (s *scope) call(c *syntax.CallExpr, in func() origin) {
	for _, a := range c.Assigns {
		if len(c.Args) == 0 {
			s.assign(a, in)
		} else {
			s.word(a.Value, in)
		}
	}
	for _, w := range c.Args {
		s.word(w, in)
	}
	if len(c.Args) == 0 {
		return
	}
	switch name := c.Args[0].Lit(); {
	case name == "read" || name == "mapfile" || name == "readarray":
		parted := separated(c)
		for _, w := range c.Args[1:] {
			if n := w.Lit(); variable.MatchString(n) {
				s.give(n, func() value { return value{origin: parted(in())} })
				s.vars[n].list = s.vars[n].list || name != "read"
			}
		}
	case s.functions[name] != nil:
		s.pass(c.Args[1:])
	}
}

// separated says what reading makes of the origin of a line. With a separator of one's own the parts are cut out of
// words; one that stands in words could cut another meaning out of them.
func separated(c *syntax.CallExpr) func(origin) origin {
	parted := func(o origin) origin { return o }
	for _, a := range c.Assigns {
		if a.Name == nil || a.Name.Value != "IFS" || a.Value == nil {
			continue
		}
		switch v := literal(a.Value); {
		case v.fixed && strings.Trim(v.text, " \t\n") == "":
		case v.fixed && len(v.text) == 1 && plainSeparator(v.text[0]):
			parted = origin.cut
		default:
			parted = func(origin) origin { return made }
		}
	}
	return parted
}

// plainSeparator are bytes between the fields of a table.
func plainSeparator(c byte) bool { return c == ',' || c == ';' || c == '|' || c == ':' || c == '=' }

// pass notes the words that a function is called with. When one of them may become several, or none, all are.
func (s *scope) pass(args []*syntax.Word) {
	shifts := false
	for i, w := range args {
		shifts = shifts || !oneWord(w)
		for n := i; n < maxParams && (n == i || shifts); n++ {
			s.give(strconv.Itoa(n+1), func() value { return s.fieldsValue(w) })
		}
	}
	for n := range maxParams {
		if shifts || n >= len(args) {
			s.give(strconv.Itoa(n+1), func() value { return value{texts: []string{""}} })
		}
	}
}

// maxParams is how many parameters of a function there are.
const maxParams = 9

// oneWord says whether a word becomes one word, whatever stands in its variables.
func oneWord(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmExp:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if e, ok := q.(*syntax.ParamExp); ok && manyWords(e) {
					return false
				}
			}
		default:
			return false
		}
	}
	return !hasBraces(w) && !literalGlob(w)
}

// manyWords says whether an expansion in quotes may still become several words.
func manyWords(e *syntax.ParamExp) bool {
	return e.Param != nil && (e.Param.Value == "@" || e.Index != nil)
}

func literalGlob(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && hasMeta(l.Value) {
			return true
		}
	}
	return false
}

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
