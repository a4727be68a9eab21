package policy

import (
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// bare is the text of a word that is written as it is used, by far the most: one part, and no letter in it that means
// anything to a shell.
func bare(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	l, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsFunc(l.Value, meansSomething) {
		return "", false
	}
	return l.Value, l.Value != ""
}

func meansSomething(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:,+@%", r))
}

// literal is the text of a word without expansions, read by the code that expands it when it runs.
func literal(w *syntax.Word) arg {
	if text, ok := bare(w); ok {
		return arg{text: text, fixed: true}
	}
	cfg := &expand.Config{ // one for each: the library shares what it is not given
		Env: expand.ListEnviron(), CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return errOpen }, ProcSubst: unknownName,
	}
	fields, err := expand.Fields(cfg, w)
	if err != nil || len(fields) != 1 {
		return arg{}
	}
	pat, err := expand.Pattern(cfg, w)
	return arg{text: fields[0], fixed: true, glob: err != nil || hasMeta(pat)}
}

// unknownName stands for the name of what a <( ) prints, which nobody knows before it runs.
func unknownName(*syntax.ProcSubst) (string, error) { return "", errOpen }

// Rough is what can be read of a word, without the parts that are worked out when it runs: enough to see an absolute path
// or a flag in it.
func Rough(w *syntax.Word) string { return (&scope{}).spelled(w, nil, "") }

// spelled is what can be read of a word, with a text for each part that is not known.
func (s *scope) spelled(w *syntax.Word, b binding, unknown string) string {
	var out strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			out.WriteString(n.Value)
		case *syntax.SglQuoted:
			out.WriteString(n.Value)
		case *syntax.ParamExp:
			if v := b[paramName(n)]; v.origin == known && len(v.texts) == 1 {
				out.WriteString(v.texts[0])
			} else {
				out.WriteString(unknown)
			}
			return false
		case *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			out.WriteString(unknown)
			return false
		}
		return true
	})
	return out.String()
}

func paramName(p *syntax.ParamExp) string {
	if p.Param == nil {
		return ""
	}
	return p.Param.Value
}

func tilde(w *syntax.Word) bool {
	if len(w.Parts) == 0 {
		return false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(lit.Value, "~")
}

func hasBraces(w *syntax.Word) bool {
	copied := &syntax.Word{Parts: slices.Clone(w.Parts)} // SplitBraces changes what it is given
	syntax.SplitBraces(copied)
	return slices.ContainsFunc(copied.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}
