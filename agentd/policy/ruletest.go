package policy

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
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

// holds says whether the values of an argument pass. For what allows, every value must; for what asks or denies, one
// is enough, and so is one that cannot be compared.
func (t Test) holds(values []any, there bool, name, root string, e Effect) bool {
	if !there || len(values) == 0 {
		return false
	}
	for _, v := range values {
		ok, known := t.passes(v, name, root)
		if e == Allow && (!ok || !known) {
			return false
		}
		if e != Allow && (ok || !known) {
			return true
		}
	}
	return e == Allow
}

// passes tests one value; known is false when it cannot be compared.
func (t Test) passes(v any, name, root string) (ok, known bool) {
	if t.Max != nil {
		n, is := v.(float64)
		if !is {
			return false, false
		}
		if n > *t.Max {
			return false, true
		}
	}
	if t.Equals == nil && t.OneOf == nil && t.Prefix == "" && t.Suffix == "" && t.Glob == "" && t.Under == "" {
		return true, true
	}
	s, is := wordOf(v)
	if !is {
		return false, false
	}
	return t.compare(s, name, root)
}

func (t Test) compare(s, name, root string) (ok, known bool) {
	same := func(x string) string { return fold(x) }
	if t.Under != "" || name == "path" || strings.HasSuffix(name, ".path") {
		if s, ok = relative(s, root); !ok {
			return false, false
		}
		same = func(x string) string { return x }
	}
	s = same(s)
	if t.Under != "" && s != strings.TrimSuffix(t.Under, "/") && !strings.HasPrefix(s, strings.TrimSuffix(t.Under, "/")+"/") {
		return false, true
	}
	oneOf := t.OneOf == nil || slices.ContainsFunc(t.OneOf, func(x string) bool { return same(x) == s })
	return (t.Equals == nil || same(*t.Equals) == s) && oneOf &&
		strings.HasPrefix(s, same(t.Prefix)) && strings.HasSuffix(s, same(t.Suffix)) && ruleGlob(same(t.Glob), s), true
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
	case bool, float64, json.Number:
		return fmt.Sprint(v), true
	}
	return "", false
}

func ruleArgs(raw json.RawMessage) map[string]any {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// findArg gives the values of an argument: those of a list are each one. there is false when the call has none.
func findArg(args map[string]any, name string) (values []any, there bool) {
	if v, ok := args[name]; ok {
		if list, is := v.([]any); is {
			return list, true
		}
		return []any{v}, true
	}
	head, rest, ok := strings.Cut(name, ".")
	if in, is := args[head].(map[string]any); ok && is {
		return findArg(in, rest)
	}
	return nil, false
}
