package sentence

import (
	"slices"
	"strings"
)

// plain is the row without what says nothing: units of no number, empty lines, a zone without hours.
func (r Row) plain() Row {
	r.Tests = slices.DeleteFunc(slices.Clone(r.Tests), func(t Test) bool { return t.Arg == "" && strings.TrimSpace(t.Value) == "" })
	for i, t := range r.Tests {
		if t.How == OneOf {
			r.Tests[i].Value = lines(t.Value)
		}
	}
	l := &r.Limits
	if l.Calls == "" {
		l.Per = Amount{}
	}
	if l.Cooldown.N == "" {
		l.Cooldown = Amount{}
	}
	if l.Bytes.N == "" {
		l.Bytes = Amount{}
	}
	switch {
	case l.Hours.None():
		l.Hours = Hours{}
	case l.Hours.From == "" && l.Hours.To == "":
		l.Hours.From, l.Hours.To = "00:00", "24:00"
	}
	return r
}

// lines are the lines of a text that say something.
func lines(text string) string {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n")
}

// same reports whether two rows say the same.
func (r Row) same(o Row) bool {
	sets := same(r.Tiers, o.Tiers) && same(r.Origins, o.Origins)
	texts := !slices.ContainsFunc(fields, func(name string) bool { return r.text(name) != nil && *r.text(name) != *o.text(name) })
	tests := r.Only == o.Only && slices.Equal(r.Tests, o.Tests)
	return sets && texts && tests && r.Tainted == o.Tainted && r.Limits.same(o.Limits)
}
