package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (j *judge) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		j.stmt(s)
	}
}

// stmt judges one statement: its redirections and its command.
func (j *judge) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Disown {
		j.cannot("commands in the background")
	}
	for _, r := range s.Redirs {
		j.redirect(r)
	}
	before := j.input
	j.input = j.scope.stdin(s, before)
	if s.Cmd != nil {
		j.command(s.Cmd)
	}
	j.input = before
	if empties(s) {
		j.raise(Red, "It empties a file.")
	}
}

// empties says whether a statement writes nothing over a file.
func empties(s *syntax.Stmt) bool {
	over := false
	for _, r := range s.Redirs {
		over = over || (r.Op == syntax.RdrOut || r.Op == syntax.RdrClob || r.Op == syntax.RdrAll) && r.Word.Lit() != "/dev/null"
	}
	if !over || s.Cmd == nil {
		return over
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return ok
	}
	words := make([]string, 0, len(c.Args))
	for _, w := range c.Args {
		words = append(words, literal(w).text)
	}
	return printsNothing(words)
}

// printsNothing says whether a command is written to print nothing.
func printsNothing(words []string) bool {
	switch words[0] {
	case ":", "true", "false", "test", "[":
		return true
	case "cat", "cp", "head", "tail":
		return slices.Contains(words, "/dev/null")
	case "echo":
		return len(words) == 2 && words[1] == "-n" || len(words) == 3 && words[1] == "-n" && words[2] == ""
	case "printf":
		return len(words) == 2 && words[1] == ""
	}
	return false
}

// command judges by the kind of node. What is not named here does not run.
func (j *judge) command(c syntax.Command) {
	j.count()
	switch c := c.(type) {
	case *syntax.CallExpr:
		j.call(c)
	case *syntax.BinaryCmd:
		j.binary(c)
	case *syntax.Subshell:
		j.list(c.Stmts)
	case *syntax.Block:
		j.list(c.Stmts)
	case *syntax.IfClause:
		j.condition(c)
	case *syntax.WhileClause:
		j.list(c.Cond)
		j.list(c.Do)
	case *syntax.ForClause:
		j.loop(c)
	default:
		j.compound(c)
	}
}

// compound judges what shells other than the simplest know.
func (j *judge) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.TimeClause:
		j.time(c)
	case *syntax.CaseClause:
		j.cases(c)
	case *syntax.TestClause:
		j.compare(c.X)
	case *syntax.ArithmCmd:
		if c.Unsigned {
			j.cannot("arithmetic without a sign")
		}
		j.changes(c.X)
	case *syntax.FuncDecl:
		j.function(c)
	case *syntax.DeclClause:
		j.declare(c)
	default:
		j.other(c)
	}
}

// other refuses a construct, and still looks at everything in it, so that the worst reason is named.
func (j *judge) other(c syntax.Command) {
	j.cannot("this kind of command")
	syntax.Walk(c, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			j.call(call)
			return false
		}
		return true
	})
}

func (j *judge) time(c *syntax.TimeClause) {
	if c.Stmt != nil {
		j.stmt(c.Stmt)
	}
}

func (j *judge) condition(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		j.list(c.Cond)
		j.list(c.Then)
	}
}

func (j *judge) loop(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		if c.Select || !variable.MatchString(l.Name.Value) {
			j.cannot("this kind of loop")
			return
		}
		j.variable(l.Name.Value, arg{}, false)
		for _, w := range l.Items {
			j.look(w)
			for _, b := range j.scope.bindings(j.env, w) {
				for _, a := range j.args(w, b) {
					if a.glob {
						j.path(a, false, nil)
					}
				}
			}
		}
	case *syntax.CStyleLoop:
		j.changes(l.Init)
		j.arithm(l.Cond)
		j.changes(l.Post)
	default:
		j.cannot("this kind of loop")
	}
	j.list(c.Do)
}

func (j *judge) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
		j.stmt(c.X)
		j.stmt(c.Y)
		return
	}
	before := j.input
	for _, s := range Stages(c) {
		j.stmt(s)
		j.input = j.scope.prints([]*syntax.Stmt{s}, j.input)
	}
	j.input = before
}

// Stages is a pipeline as a list, in order.
func Stages(c *syntax.BinaryCmd) []*syntax.Stmt {
	var out []*syntax.Stmt
	if x, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && isPipe(x) && len(c.X.Redirs) == 0 && !c.X.Negated {
		out = Stages(x)
	} else {
		out = append(out, c.X)
	}
	return append(out, c.Y)
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }
