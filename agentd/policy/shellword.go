package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

var variable = lazyre.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// arg is one word of a command as far as it is known before running.
type arg struct {
	text  string
	glob  bool // text is a pattern: the words are the files it matches
	fixed bool // text is all there is to know
}

// word reads a word: its text when that is fixed, else the judge is told what it hides.
func (j *judge) word(w *syntax.Word) arg {
	fixed := true
	for _, p := range w.Parts {
		fixed = j.part(p) && fixed
	}
	if tilde(w) {
		j.cannot("~; write the path under the data folder")
		fixed = false
	}
	if hasBraces(w) {
		j.raise(Red, "What braces expand to is only known when it runs.")
		j.braces(w)
		fixed = false
	}
	if !fixed {
		return arg{text: rough(w)}
	}
	return literal(w)
}

// part judges one part and says whether its text is fixed.
func (j *judge) part(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		return true
	case *syntax.SglQuoted:
		return j.plainQuote(p.Dollar)
	case *syntax.DblQuoted:
		return j.doubleQuoted(p)
	case *syntax.CmdSubst:
		j.raise(Red, "What a command in a command prints is only known when it runs.")
		j.count()
		j.list(p.Stmts)
		if p.TempFile || p.ReplyVar {
			j.cannot("this kind of substitution")
		}
	case *syntax.ParamExp:
		j.param(p)
	default:
		j.cannot("process substitution, arithmetic or extended patterns")
		j.inside(p)
	}
	return false
}

func (j *judge) plainQuote(dollar bool) bool {
	if dollar {
		j.cannot("quotes that begin with a dollar")
	}
	return !dollar
}

func (j *judge) doubleQuoted(q *syntax.DblQuoted) bool {
	fixed := j.plainQuote(q.Dollar)
	for _, p := range q.Parts {
		fixed = j.part(p) && fixed
	}
	return fixed
}

// param allows $name and ${name}: every other form can run code, reach other names or change them.
func (j *judge) param(p *syntax.ParamExp) {
	named := p.Param != nil && (variable.MatchString(p.Param.Value) || p.Param.Value == "?")
	if !named || p.Param.Value != "?" { // the status of a command is a number
		j.raise(Red, "The value of a variable is only known when it runs.")
	}
	if !named || p.Excl || p.Length || p.Width || p.IsSet || p.Index != nil || p.Slice != nil || p.Repl != nil ||
		p.Names != 0 || p.Exp != nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		j.cannot("expansions other than $name")
		j.inside(p)
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

// literal is the text of a word without expansions, read by the code that expands it when it runs.
func literal(w *syntax.Word) arg {
	cfg := &expand.Config{Env: expand.ListEnviron()} // one for each: the library shares what it is not given
	fields, err := expand.Fields(cfg, w)
	if err != nil || len(fields) != 1 {
		return arg{}
	}
	pat, err := expand.Pattern(cfg, w)
	return arg{text: fields[0], fixed: true, glob: err != nil || pattern.HasMeta(pat, 0)}
}

// rough is what can be read of a word that is not fixed: enough to see an absolute path or a flag in it.
func rough(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.CmdSubst, *syntax.ParamExp:
			return false
		}
		return true
	})
	return b.String()
}

func tilde(w *syntax.Word) bool {
	if len(w.Parts) == 0 {
		return false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(lit.Value, "~")
}

// braces looks at every word that braces make: none may be a file that nobody touches.
func (j *judge) braces(w *syntax.Word) {
	text := rough(w)
	if strings.Count(text, "{") > 4 || strings.Count(text, ",") > 64 || strings.Contains(text, "..") {
		return // too many words to look at; they are red, and looked at one by one when they run
	}
	copied := &syntax.Word{Parts: slices.Clone(w.Parts)}
	syntax.SplitBraces(copied)
	for one, err := range expand.BracesSeq(&expand.Config{Env: expand.ListEnviron()}, copied) {
		if err != nil {
			return
		}
		if a := literal(one); a.fixed {
			j.path(a, false, nil)
		}
	}
}

func hasBraces(w *syntax.Word) bool {
	copied := &syntax.Word{Parts: slices.Clone(w.Parts)} // SplitBraces changes what it is given
	syntax.SplitBraces(copied)
	return slices.ContainsFunc(copied.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}
