package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// origin says how much is known, before running, of a text that a command will be given.
type origin int

const (
	known    origin = iota // every text that it may be
	plain                  // a word without a slash that is no flag: a number, a date, the name of a container
	existing               // the name of a file that is there
	written                // words that stand in the command and may name files: harmless as they are, and not when cut
	found                  // something that stands in files
	made                   // anything: the command may have put it together itself
)

// value is what a variable or a word may be. Texts are all of them when it is known, and those that are when it is not.
type value struct {
	origin origin
	texts  []string
	filled bool // it is the name of a file, and for sure not empty
	maybe  bool // it is one at times
}

// worst is the origin of a text that may come from any of several.
func worst(all ...origin) origin {
	out := slices.Max(all)
	if out == found && slices.Contains(all, written) {
		return made // what is harmless as a whole may be cut like what is found
	}
	return out
}

// cut is the origin of a part of a text.
func (o origin) cut() origin {
	switch o {
	case known, written:
		return made
	case existing:
		return found
	}
	return o
}

// maxTexts is how many texts a variable may have and still be known.
const maxTexts = 32

func (v value) or(w value) value {
	out := value{texts: slices.Clone(v.texts)}
	for _, t := range w.texts {
		if !slices.Contains(out.texts, t) {
			out.texts = append(out.texts, t)
		}
	}
	if v.origin != known || w.origin != known || len(out.texts) > maxTexts {
		out.origin, out.maybe = worst(openly(v), openly(w)), v.maybe || w.maybe
		out.filled = (v.filled || v.none()) && (w.filled || w.none())
	}
	if len(out.texts) > maxTexts {
		out.texts = nil
	}
	return out
}

// none says whether there is no text that it may be.
func (v value) none() bool { return v.origin == known && len(v.texts) == 0 }

// openly is the origin of a value when its texts are forgotten.
func openly(v value) origin {
	if v.origin != known {
		return v.origin
	}
	return textsOrigin(v.texts)
}

// scope holds what a text does with variables and functions, wherever it does it: a variable may hold whatever any of
// its assignments gives it. Order plays no part, so loops, branches and subshells need no rules of their own.
type scope struct {
	vars      map[string]*source
	maps      map[string]bool // arrays whose keys are texts
	functions map[string]*syntax.FuncDecl
	bodies    []stretch // of functions: their parameters are set there
	steps     int       // work done so far
	depth     int       // of what is being followed
}

// source is one variable: how it gets its values.
type source struct {
	gives []func() value
	set   []stretch // where it is set for sure
	list  bool      // an array
	busy  bool
	done  bool
	value value
}

// stretch is a part of the text, by offsets.
type stretch struct{ from, to uint }

func (s stretch) holds(p uint) bool { return s.from <= p && p < s.to }

// maxSteps bounds the work of finding out where texts come from. Beyond it everything is made.
const maxSteps = 20_000

func newScope(file *syntax.File) *scope {
	s := &scope{vars: map[string]*source{}, maps: map[string]bool{}, functions: map[string]*syntax.FuncDecl{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			s.functions[f.Name.Value] = f
			s.bodies = append(s.bodies, stretch{f.Body.Pos().Offset(), f.End().Offset()})
		}
		return true
	})
	s.list(file.Stmts, func() origin { return plain })
	return s
}

func (s *scope) give(name string, f func() value) {
	v := s.vars[name]
	if v == nil {
		v = &source{}
		s.vars[name] = v
	}
	v.gives = append(v.gives, f)
}

// at is what a variable may hold where the text stands at p: nothing, unless it is set there for sure.
func (s *scope) at(name string, p uint) value {
	v := s.value(name)
	src := s.vars[name]
	if src == nil {
		return v
	}
	where := src.set
	if param(name) {
		where = s.bodies
	}
	if slices.ContainsFunc(where, func(sp stretch) bool { return sp.holds(p) }) {
		return v
	}
	if v.origin != known && len(v.texts) == 0 {
		v.filled = false
		return v
	}
	return v.or(value{texts: []string{""}})
}

// value is what a variable may hold once it is set. One that is never set is empty; one that is made of itself is anything.
func (s *scope) value(name string) value {
	v := s.vars[name]
	if v == nil {
		return value{texts: []string{""}}
	}
	if v.done {
		return v.value
	}
	if s.steps++; v.busy || s.steps > maxSteps {
		return value{origin: made}
	}
	v.busy = true
	out := value{}
	for _, give := range v.gives {
		out = out.or(give())
	}
	v.busy, v.done, v.value = false, true, out
	return out
}

// param says whether a name is that of a parameter of a function.
func param(name string) bool { return len(name) == 1 && name[0] >= '1' && name[0] <= '9' }
