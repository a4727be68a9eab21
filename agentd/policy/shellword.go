package policy

import (
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

var variable = lazyre.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// arg is one word of a command as far as it is known before running.
type arg struct {
	text   string
	glob   bool   // text is a pattern: the words are the files it matches
	fixed  bool   // text is all there is to know
	origin origin // of what is not known, when it is not fixed
	one    bool   // it stays one word, whatever it turns out to be
	led    bool   // it begins with a text that is known, and is no flag
	sketch string // when it is not fixed: text with a * for each part that is not known
}

// args are the words that a word becomes with one choice of variables. look has judged what stands in it.
func (j *judge) args(w *syntax.Word, b binding) []arg {
	o := j.scope.origin(w, b)
	if tilde(w) {
		o = made
	}
	if o == known {
		return j.scope.fields(w, b)
	}
	if hasBraces(w) {
		o = made
	}
	return []arg{{text: j.scope.spelled(w, b, ""), origin: o, one: oneWord(w), led: led(w), sketch: j.scope.spelled(w, b, "*")}}
}

// led says whether a word begins with a text that keeps it from being a flag.
func led(w *syntax.Word) bool {
	p := w.Parts[0]
	if q, ok := p.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		p = q.Parts[0]
	}
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value != "" && p.Value[0] != '-'
	case *syntax.SglQuoted:
		return p.Value != "" && p.Value[0] != '-'
	}
	return false
}

// word reads a word that becomes one word.
func (j *judge) word(w *syntax.Word, b binding) arg {
	if args := j.args(w, b); len(args) == 1 {
		return args[0]
	}
	return arg{text: rough(w), origin: made}
}

// look judges what stands in a word: the commands in it, and what this shell does not know.
func (j *judge) look(w *syntax.Word) {
	if w == nil {
		return
	}
	if tilde(w) {
		j.cannot("~; write the path under the data folder")
	}
	for _, p := range w.Parts {
		j.part(p)
	}
}

func (j *judge) part(p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
	case *syntax.SglQuoted:
		if p.Dollar && badText(literal(&syntax.Word{Parts: []syntax.WordPart{p}}).text) != "" {
			j.cannot("characters that cannot be seen")
		}
	case *syntax.DblQuoted:
		j.plainQuote(p.Dollar)
		for _, q := range p.Parts {
			j.part(q)
		}
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			j.cannot("this kind of substitution")
		}
		j.apart(p.Stmts)
	case *syntax.ProcSubst:
		if p.Op != syntax.CmdIn {
			j.cannot("writing to a command by a name")
		}
		j.apart(p.Stmts)
	case *syntax.ParamExp:
		j.param(p)
	case *syntax.ArithmExp:
		j.arithm(p.X)
	default:
		j.cannot("extended patterns")
		j.inside(p)
	}
}

// apart judges the statements of a substitution.
func (j *judge) apart(stmts []*syntax.Stmt) {
	j.count()
	if len(stmts) == 0 {
		j.cannot("a substitution without a command")
	}
	j.list(stmts)
}

func (j *judge) plainQuote(dollar bool) {
	if dollar {
		j.cannot("quotes that begin with a dollar")
	}
}

// inside looks for commands in a part that is refused anyway, for the worst reason.
func (j *judge) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			j.call(call)
			return false
		}
		return true
	})
}

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

// rough is what can be read of a word that is not fixed: enough to see an absolute path or a flag in it.
func rough(w *syntax.Word) string { return (&scope{}).spelled(w, nil, "") }

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
