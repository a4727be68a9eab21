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
	if s.Cmd != nil {
		j.command(s.Cmd)
	}
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
	case *syntax.TimeClause:
		j.time(c)
	default:
		j.other(c)
	}
}

// other refuses a construct, and still looks at everything in it, so that the worst reason is named.
func (j *judge) other(c syntax.Command) {
	j.cannot("functions, tests in double brackets, cases, arithmetic or declarations")
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
	each, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !variable.MatchString(each.Name.Value) {
		j.cannot("this kind of loop")
		return
	}
	for _, w := range each.Items {
		j.path(j.word(w), false, nil)
	}
	j.list(c.Do)
}

func (j *judge) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
		j.stmt(c.X)
		j.stmt(c.Y)
		return
	}
	stages := Stages(c)
	for i, s := range stages {
		j.names = i > 0 && givesNames(stages[:i])
		j.stmt(s)
	}
	j.names = false
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
