package policy

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// printed is what a substitution prints when that stands in the text: echo and its like, with words that are known.
func (s *scope) printed(stmts []*syntax.Stmt, b binding) (string, bool) {
	if len(stmts) != 1 || len(stmts[0].Redirs) > 0 || stmts[0].Negated {
		return "", false
	}
	c, ok := stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 || len(c.Args) < 2 || s.functions[c.Args[0].Lit()] != nil {
		return "", false
	}
	args, ok := s.texts(c.Args[1:], b)
	if !ok || len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	switch name := c.Args[0].Lit(); {
	case name == "echo":
		return strings.Join(args, " "), true
	case name == "printf" && len(args) == 2 && args[0] == "%s":
		return args[1], true
	case name == "basename" && len(args) == 1:
		return path.Base(args[0]), true
	case name == "dirname" && len(args) == 1:
		return path.Dir(strings.TrimRight(args[0], "/")), true
	}
	return "", false
}

// texts are words that are all known.
func (s *scope) texts(words []*syntax.Word, b binding) ([]string, bool) {
	var out []string
	for _, w := range words {
		for _, name := range names(w) {
			if _, ok := b[name]; !ok {
				return nil, false
			}
		}
		if s.origin(w, b) != known {
			return nil, false
		}
		for _, a := range s.fields(w, b) {
			if !a.fixed || a.glob {
				return nil, false
			}
			out = append(out, a.text)
		}
	}
	return out, true
}
