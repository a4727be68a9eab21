package policy

import (
	"slices"

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
	maybe  bool   // at times it begins with the name of a file
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
	a := arg{text: j.scope.spelled(w, b, ""), origin: o, one: oneWord(w), led: led(w), sketch: j.scope.spelled(w, b, "*")}
	if v := begins(w, b); v.filled {
		a.text, a.sketch = "./"+a.text, "./"+a.sketch
	} else {
		a.maybe = v.maybe
	}
	return []arg{a}
}

// begins is the variable that a word begins with, as it is. When that is the name of a file which is for sure there, what
// stands behind it is no path from the root of the machine.
func begins(w *syntax.Word, b binding) value {
	p := w.Parts[0]
	if q, ok := p.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		p = q.Parts[0]
	}
	e, ok := p.(*syntax.ParamExp)
	if !ok || e.Excl || e.Length || e.Index != nil || e.Slice != nil || e.Repl != nil {
		return value{}
	}
	if e.Exp != nil && (e.Exp.Op != syntax.RemSmallSuffix || e.Exp.Word == nil || e.Exp.Word.Lit() != "/") {
		return value{}
	}
	return b[paramName(e)]
}

// quotes says whether a word has quotes in it.
func quotes(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.DblQuoted, *syntax.SglQuoted:
			return true
		}
		return false
	})
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
	return arg{text: Rough(w), origin: made}
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
