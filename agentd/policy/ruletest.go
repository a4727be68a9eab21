package policy

import (
	"encoding/json"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Test is a test of one argument. Every field that is set must hold. Text is compared regardless of case where it is
// an address, and paths as paths under the data folder.
type Test struct {
	Equals *string  `yaml:"equals,omitempty"`
	OneOf  []string `yaml:"one_of,omitempty"`
	Prefix string   `yaml:"prefix,omitempty"`
	Suffix string   `yaml:"suffix,omitempty"`
	Glob   string   `yaml:"glob,omitempty"`
	Under  string   `yaml:"under,omitempty"` // a folder of the data folder
	Max    *float64 `yaml:"max,omitempty"`   // of a number
}

// match is what a test says of one value.
type match int

// What a value may do. What cannot be read for certain may pass.
const (
	fails match = iota
	mayPass
	passes
)

func matchOf(ok bool) match {
	if ok {
		return passes
	}
	return fails
}

// holds says whether an argument passes. For what allows, every value must, for certain; for what asks or denies, one that
// may is enough.
func (t Test) holds(name string, args *callArgs, e Effect) bool {
	got := args.find(name, e == Allow)
	if !got.sure {
		return e != Allow
	}
	is := t.about(name, args.s, e == Allow)
	for _, v := range got.values {
		m := t.of(v, is)
		if e == Allow && m != passes {
			return false
		}
		if e != Allow && m != fails {
			return true
		}
	}
	return e == Allow && len(got.values) > 0
}

// of tests one value; is looks at its word.
func (t Test) of(v given, is func(given) match) match {
	if t.Max != nil {
		n, number := numberOf(v.raw)
		if !number {
			return mayPass
		}
		if n > *t.Max {
			return fails
		}
	}
	if t.Equals == nil && t.OneOf == nil && t.Prefix == "" && t.Suffix == "" && t.Glob == "" && t.Under == "" {
		return passes
	}
	if !v.is {
		return mayPass
	}
	return is(v)
}

// about says how the words of an argument are tested. The texts of the test are made plain once for all of them.
func (t Test) about(name string, s Subject, certain bool) func(given) match {
	same := func(plain func(string) string) func(given) match {
		t := t.written(plain)
		return func(v given) match { return t.each(compared(plain(v.word))) }
	}
	switch {
	case t.Under != "", name == "path", strings.HasSuffix(name, ".path"):
		return func(v given) match { return t.path(v.word, s) }
	case name == "url":
		return func(v given) match { return t.address(v.word, s, certain) }
	case name == "tool" && s.Tool == toolHTTP:
		return same(toolKey)
	case name == "to" && certain:
		return same(plainRecipient)
	case name == "to":
		return same(func(s string) string { return fold(plainRecipient(s)) })
	case exactly[s.Tool] == name && certain:
		return same(asItIs) // to a program, letters of either case are two
	}
	t = t.written(fold)
	return func(v given) match { return t.each(compared(v.folded)) }
}

// written is the test with its texts written in another way.
func (t Test) written(plain func(string) string) Test {
	if t.Equals != nil {
		equals := plain(*t.Equals)
		t.Equals = &equals
	}
	t.OneOf = slices.Clone(t.OneOf)
	for i, text := range t.OneOf {
		t.OneOf[i] = plain(text)
	}
	t.Prefix, t.Suffix, t.Glob, t.Under = plain(t.Prefix), plain(t.Suffix), plain(t.Glob), plain(t.Under)
	return t
}

// comparison says how a value stands to one text of a test.
type comparison func(how, text string) match

// The ways in which a value is compared with the text of a test.
const (
	byEquals = "equals"
	byPrefix = "prefix"
	bySuffix = "suffix"
	byGlob   = "glob"
	byUnder  = "under"
)

// each asks about every field that is set; all must hold.
func (t Test) each(is comparison) match {
	got := passes
	if t.Equals != nil {
		got = min(got, is(byEquals, *t.Equals))
	}
	if t.OneOf != nil {
		best := fails
		for _, x := range t.OneOf {
			best = max(best, is(byEquals, x))
		}
		got = min(got, best)
	}
	for _, x := range [...]struct{ how, text string }{{byPrefix, t.Prefix}, {bySuffix, t.Suffix}, {byGlob, t.Glob}, {byUnder, strings.TrimSuffix(t.Under, "/")}} {
		if x.text != "" {
			got = min(got, is(x.how, x.text))
		}
	}
	return got
}

// loosely reads names of hosts in which anything may stand, such as the star of a pattern.
var loosely = idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.Transitional(false))

// plainRecipient is an address, or a part of one, in the form in which addresses are compared. A domain is written in its
// own letters: a part of one is still a part of it then.
func plainRecipient(s string) string {
	s = fold(s)
	at := strings.IndexByte(s, '@') + 1
	domain, _ := loosely.ToUnicode(s[at:]) // what it cannot read stays as it is
	return s[:at] + domain
}

func asItIs(s string) string { return s }

// compared compares texts as they are.
func compared(s string) comparison {
	return func(how, text string) match {
		switch how {
		case byEquals:
			return matchOf(s == text)
		case byPrefix:
			return matchOf(strings.HasPrefix(s, text))
		case bySuffix:
			return matchOf(strings.HasSuffix(s, text))
		case byGlob:
			return matchOf(ruleGlob(text, s))
		}
		return matchOf(within(s, text))
	}
}

// relative is a path as it stands under the data folder; ok is false for one that may lead outside.
func relative(s, root string) (rel string, ok bool) {
	if strings.ContainsRune(s, 0) {
		return "", false
	}
	s = path.Clean(s)
	if path.IsAbs(s) {
		under, found := strings.CutPrefix(s, strings.TrimSuffix(root, "/")+"/")
		if root == "" || !found {
			return "", false
		}
		s = under
	}
	return s, s != ".." && !strings.HasPrefix(s, "../")
}

func wordOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		if f, err := v.Float64(); err == nil && math.Abs(f) < 1<<53 {
			return strconv.FormatFloat(f, 'f', -1, 64), true // 1e6 is 1000000
		}
		return v.String(), true
	}
	return "", false
}

func numberOf(v any) (float64, bool) {
	n, is := v.(json.Number)
	f, err := n.Float64()
	return f, is && err == nil
}
