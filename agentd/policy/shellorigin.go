package policy

import (
	"errors"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

var (
	// plainText is made of words that are no path and no flag, whatever is cut from them.
	plainText = lazyre.MustCompile(`^\s*(?:[A-Za-z0-9_%+@=,:]+(?:\s+|$))*$`)
	// ownPath is made of words that may be names in the data folder.
	ownPath = lazyre.MustCompile(`^\s*(?:[A-Za-z0-9_%+@=][A-Za-z0-9_.,:%+@=/-]*(?:\s+|$))*$`)
	numeral = lazyre.MustCompile(`^\s*[+-]?[0-9]*\s*$`)
)

// textOrigin is what a text that stands in the command counts as when its parts are used apart.
func textOrigin(text string) origin {
	switch {
	case plainText.MatchString(text):
		return plain
	case ownPath.MatchString(text) && !strings.Contains(text, ".."):
		for w := range strings.FieldsSeq(text) {
			if Protected(w, Env{}) != "" {
				return made
			}
		}
		return written
	}
	return made
}

func textsOrigin(texts []string) origin {
	o := plain
	for _, t := range texts {
		o = worst(o, textOrigin(t))
	}
	return o
}

// binding is one choice of what the variables of a command hold: those with one text each.
type binding map[string]value

var errOpen = errors.New("not known before it runs")

// config expands with what a binding knows.
func (s *scope) config(b binding) *expand.Config {
	return &expand.Config{
		Env: expand.FuncEnviron(func(name string) string {
			if v, ok := b[name]; ok && len(v.texts) == 1 {
				return v.texts[0]
			}
			return ""
		}),
		CmdSubst: func(w io.Writer, c *syntax.CmdSubst) error {
			text, ok := s.printed(c.Stmts, b)
			if !ok {
				return errOpen
			}
			_, err := io.WriteString(w, text)
			return err
		},
		ProcSubst: unknownName,
	}
}

// names are the variables that stand in a node.
func names(n syntax.Node) []string {
	var out []string
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && !slices.Contains(out, p.Param.Value) {
			out = append(out, p.Param.Value)
		}
		return true
	})
	return out
}

// bindings are all choices of what the variables in some words hold. Variables that are not known, or too many, are
// bound to their origin alone.
func (s *scope) bindings(env Env, words ...*syntax.Word) []binding {
	all := []binding{{}}
	for _, w := range words {
		if w == nil {
			continue
		}
		for _, name := range names(w) {
			if _, ok := all[0][name]; ok {
				continue
			}
			all = bind(all, name, s.lookup(name, w.Pos().Offset(), env))
		}
	}
	return all
}

// maxBindings is how many choices are looked at one by one.
const maxBindings = 64

func bind(all []binding, name string, v value) []binding {
	some := v.choices()
	if len(all)*len(some) > maxBindings {
		some = []value{v.open()}
	}
	var out []binding
	for _, b := range all {
		for _, one := range some {
			c := binding{name: one}
			for k, w := range b {
				c[k] = w
			}
			out = append(out, c)
		}
	}
	return out
}

// choices are what a value may be, one by one: what is known of it apart from what is not.
func (v value) choices() (all []value) {
	if v.origin != known {
		all = append(all, v.open())
	}
	for _, t := range v.texts {
		all = append(all, value{texts: []string{t}})
	}
	if all == nil {
		all = append(all, value{texts: []string{""}})
	}
	return all
}

// open is a value with its texts forgotten.
func (v value) open() value {
	return value{origin: openly(v), filled: v.filled, maybe: v.maybe}
}

// lookup is what a variable may hold, with those that the runner sets itself.
func (s *scope) lookup(name string, at uint, env Env) value {
	switch name {
	case "PWD", "HOME":
		return value{texts: []string{env.cwd()}}
	case "?", "#", "$", "LINENO":
		return value{origin: plain}
	case "@", "*":
		out := value{}
		for n := range maxParams {
			out = out.or(s.at(string(rune('1'+n)), at))
		}
		return value{origin: openly(out)}
	}
	if v := s.vars[name]; v != nil && v.list {
		return value{origin: openly(s.value(name))}
	}
	return s.at(name, at)
}
