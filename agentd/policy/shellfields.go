package policy

import (
	"slices"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// fieldsValue is what one of the words may be that a word becomes.
func (s *scope) fieldsValue(w *syntax.Word) value {
	out := value{}
	for _, b := range s.bindings(Env{}, w) {
		o := s.origin(w, b)
		if o != known {
			out = out.or(value{origin: worst(o, textOrigin(s.spelled(w, b, "")))})
			continue
		}
		for _, a := range s.fields(w, b) {
			switch {
			case !a.fixed:
				out = out.or(value{origin: made})
			case a.glob:
				out = out.or(value{origin: existing})
			default:
				out = out.or(value{texts: []string{a.text}})
			}
		}
	}
	return out
}

// textValue is what a word may be as the value of a variable: it is not split.
func (s *scope) textValue(w *syntax.Word) value {
	out := value{}
	for _, b := range s.bindings(Env{}, w) {
		o := s.origin(w, b)
		if o == known {
			if text, err := expand.Literal(s.config(b), w); err == nil {
				out = out.or(value{texts: []string{text}})
				continue
			}
			o = made
		}
		out = out.or(value{origin: worst(o, textOrigin(s.spelled(w, b, "")))})
	}
	return out
}

// wordOrigin is the origin of a word as a text whose parts are used apart.
func (s *scope) wordOrigin(w *syntax.Word) origin {
	if w == nil {
		return plain
	}
	return openly(s.textValue(w))
}

// maxFields is how many words one word may become.
const maxFields = 512

// fields are the words that a known word becomes, without looking at files. One that becomes too many is not fixed.
func (s *scope) fields(w *syntax.Word, b binding) []arg {
	if text, ok := bare(w); ok {
		return []arg{{text: text, fixed: true}}
	}
	cfg := s.config(b)
	copied := &syntax.Word{Parts: slices.Clone(w.Parts)} // SplitBraces changes what it is given
	syntax.SplitBraces(copied)
	var out []arg
	for one, err := range expand.BracesSeq(cfg, copied) {
		if err != nil || len(out) > maxFields {
			return []arg{{text: Rough(w), origin: made}}
		}
		texts, err := expand.Fields(cfg, one)
		if err != nil {
			return []arg{{text: Rough(w), origin: made}}
		}
		pat, err := expand.Pattern(cfg, one)
		for _, t := range texts {
			out = append(out, arg{text: t, fixed: true, glob: err != nil || hasMeta(pat)})
		}
	}
	return out
}
