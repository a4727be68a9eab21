package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmExp, *syntax.ProcSubst:
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
