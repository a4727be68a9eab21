package policy

import (
	"encoding/json"
	"math"
	"path"
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
	values, sure := args.find(name, e == Allow)
	if !sure {
		return e != Allow
	}
	for _, v := range values {
		m := t.of(v, name, args, e == Allow)
		if e == Allow && m != passes {
			return false
		}
		if e != Allow && m != fails {
			return true
		}
	}
	return e == Allow && len(values) > 0
}

// of tests one value.
func (t Test) of(v any, name string, args *callArgs, certain bool) match {
	if t.Max != nil {
		n, is := numberOf(v)
		if !is {
			return mayPass
		}
		if n > *t.Max {
			return fails
		}
	}
	if t.Equals == nil && t.OneOf == nil && t.Prefix == "" && t.Suffix == "" && t.Glob == "" && t.Under == "" {
		return passes
	}
	s, is := wordOf(v)
	if !is {
		return mayPass
	}
	switch {
	case t.Under != "", name == "path", strings.HasSuffix(name, ".path"):
		return t.path(s, args.s)
	case name == "url":
		return t.address(s, args.s, certain)
	case name == "tool" && args.s.Tool == toolHTTP:
		return t.each(comparedBy(s, toolKey))
	case name == "to":
		return t.each(comparedBy(s, plainRecipient))
	case exactly[args.s.Tool] == name && certain:
		return t.each(comparedBy(s, asItIs)) // to a program, letters of either case are two
	}
	return t.each(comparedBy(s, fold))
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
	for how, text := range map[string]string{byPrefix: t.Prefix, bySuffix: t.Suffix, byGlob: t.Glob, byUnder: strings.TrimSuffix(t.Under, "/")} {
		if text != "" {
			got = min(got, is(how, text))
		}
	}
	return got
}

// plainRecipient is an address, or the end of one, in the form in which addresses are compared.
func plainRecipient(s string) string {
	s = fold(s)
	local, domain, _ := strings.Cut(s, "@")
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil && domain != "" {
		return local + "@" + ascii
	}
	return s
}

func asItIs(s string) string { return s }

// comparedBy compares texts as they are once same has made them plain.
func comparedBy(s string, same func(string) string) comparison {
	s = same(s)
	return func(how, text string) match {
		text = same(text)
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
