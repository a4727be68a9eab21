package taint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

// literalWord is the text of a word, and whether the shell takes it literally: nothing in it is expanded when it runs.
func literalWord(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	text, literal := "", true
	for _, p := range w.Parts {
		part, ok := literalPart(p)
		text, literal = text+part, literal && ok
	}
	return text, literal && !strings.HasPrefix(text, "~")
}

// escape is a backslash between double quotes that escapes what follows, and does not stand for itself.
var escape = lazyre.MustCompile("\\\\[$`\"\\\\\n]")

func literalPart(p syntax.WordPart) (string, bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, `*?[]{}\`)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		text, literal := "", !p.Dollar
		for _, in := range p.Parts {
			lit, ok := in.(*syntax.Lit)
			if !ok || escape.MatchString(lit.Value) {
				return "", false
			}
			text += lit.Value
		}
		return text, literal
	}
	return "", false
}
