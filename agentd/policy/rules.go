package policy

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// Subject is what the owner's rules see of a call.
type Subject struct {
	Agent      string
	Tool       string
	Action     string
	Tier       Tier
	Channel    string // name of the channel that the run's message came from
	Tainted    bool
	Args       json.RawMessage // canonical
	Root       string          // the data folder: paths in it are compared without it
	Recipients int
	Bytes      int64
}

// Ruling is what the rules say of a call.
type Ruling struct {
	Effect Effect // empty: no rule matches
	Rule   string // id of the rule that decides
	Why    string // in plain words
	Limits []RuleLimits
}

// RuleLimits are the limits of one rule that matches.
type RuleLimits struct {
	Rule string
	Limits
}

// Judge says what the rules say of a call: deny beats ask beats allow, whatever their order.
func (m *Manifest) Judge(s Subject) Ruling {
	var out Ruling
	if m == nil {
		return out
	}
	args := ruleArgs(s.Args)
	for _, r := range m.Rules {
		out.take(r, s, args)
	}
	if c, ok := m.Channels[s.Channel]; ok {
		if c.ReadOnly && s.Tier != Green {
			out.say(Deny, "channel "+s.Channel, "the channel "+s.Channel+" may only read")
		}
		for _, r := range c.Rules {
			out.take(r, s, args)
		}
	}
	return out
}

// take adds what one rule says, if it matches.
func (out *Ruling) take(r Rule, s Subject, args map[string]any) {
	if !r.matches(s, args) {
		return
	}
	effect, why := r.Effect, "the rule "+r.ID+" says "+string(r.Effect)
	if over := r.Limits.exceeded(s); over != "" {
		effect, why = nextStricter(effect), "it exceeds the rule "+r.ID+": "+over
	}
	if r.Reason != "" {
		why += " (" + r.Reason + ")"
	}
	out.say(effect, r.ID, why)
	if r.Limits.any() {
		out.Limits = append(out.Limits, RuleLimits{r.ID, r.Limits})
	}
}

func (out *Ruling) say(e Effect, rule, why string) {
	if strictness[e] > strictness[out.Effect] {
		out.Effect, out.Rule, out.Why = e, rule, why
	}
}

var strictness = map[Effect]int{Allow: 1, Ask: 2, Deny: 3}

func nextStricter(e Effect) Effect {
	if e == Allow {
		return Ask
	}
	return Deny
}

// matches says whether the rule is about this call. When in doubt, what allows does not match, and what asks or denies
// does.
func (r Rule) matches(s Subject, args map[string]any) bool {
	return ruleGlob(r.Agent, s.Agent) && ruleGlob(r.Tool, s.Tool) && ruleGlob(r.Action, s.Action) &&
		(len(r.Tier) == 0 || slices.Contains(r.Tier, s.Tier)) &&
		(len(r.Origin) == 0 || slices.Contains(r.Origin, OriginOf(s.Channel))) &&
		(!r.Tainted || s.Tainted) && r.fits(s, args)
}

// fits says whether the arguments pass every test of the rule.
func (r Rule) fits(s Subject, args map[string]any) bool {
	for _, name := range keysOf(r.Args) {
		values, there := findArg(args, name)
		if !r.Args[name].holds(values, there, name, s.Root, r.Effect) {
			return false
		}
	}
	return true
}

// ruleGlob compares by a pattern in which * stands for any text; an empty one fits everything.
func ruleGlob(pattern, s string) bool {
	if pattern == "" || pattern == "*" {
		return true
	}
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	if len(parts) == 1 {
		return s == ""
	}
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(s, p)
		if at < 0 {
			return false
		}
		s = s[at+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}

// fault is what is wrong with one field of a rule.
type fault struct{ field, text string }

var ruleID = lazyre.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// wrong says everything that is wrong with the meaning of a rule.
func (r Rule) wrong() (all []fault) {
	bad := func(field, format string, a ...any) { all = append(all, fault{field, fmt.Sprintf(format, a...)}) }
	if !ruleID.MatchString(r.ID) {
		bad("id", "a rule needs an id of small letters, digits, dots, dashes and underscores")
	}
	if strictness[r.Effect] == 0 {
		bad("effect", "the effect is %q; it must be allow, ask or deny", r.Effect)
	}
	if r.Effect == Deny && r.Limits.any() {
		bad("limits", "what is denied needs no limits")
	}
	if r.Effect == Allow && r.Tainted {
		bad("tainted", "no rule allows what content from outside stands behind")
	}
	for _, t := range r.Tier {
		all = append(all, r.wrongTier(t)...)
	}
	for _, o := range r.Origin {
		if OriginOf(string(o)) != o || o == "" {
			bad("origin", "%q is no origin; use portal, api, channel, schedule, webhook", o)
		}
	}
	for _, name := range keysOf(r.Args) {
		if why := r.Args[name].wrong(); why != "" {
			bad("args", "%s: %s", name, why)
		}
	}
	if r.Limits.Hours != nil && r.Limits.Hours.wrong() != "" {
		bad("limits", "%s", r.Limits.Hours.wrong())
	}
	if r.Limits.MaxRecipients < 0 || r.Limits.MaxBytes < 0 {
		bad("limits", "a limit must be above zero")
	}
	return all
}

func (r Rule) wrongTier(t Tier) []fault {
	switch {
	case tierRank[t] == 0:
		return []fault{{"tier", fmt.Sprintf("there is no tier %q", t)}}
	case r.Effect == Allow && (t == Red || t == CriticalRed || t == Forbidden):
		return []fault{{"tier", fmt.Sprintf("no rule allows what is %s", t)}}
	}
	return nil
}

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

func (t Test) wrong() string {
	switch {
	case t.Equals == nil && t.OneOf == nil && t.Prefix == "" && t.Suffix == "" && t.Glob == "" && t.Under == "" && t.Max == nil:
		return "it tests nothing; use equals, one_of, prefix, suffix, glob, under or max"
	case t.Under != "" && (path.IsAbs(t.Under) || path.Clean(t.Under) != strings.TrimSuffix(t.Under, "/") || strings.HasPrefix(t.Under, "..")):
		return fmt.Sprintf("%q is no folder below the data folder", t.Under)
	}
	return ""
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
