package policy

import (
	"fmt"
	"path"
	"strings"

	"gatehouse/agentd/lazyre"
)

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
	if r.Effect != Allow && r.Only {
		bad("only", "a further argument would undo it; only what allows can be held to the arguments that it names")
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
	if r.Limits.MaxRecipients < 0 || r.Limits.MaxBytes < 0 || r.Limits.MaxMoney < 0 {
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

func (t Test) wrong() string {
	switch {
	case t.Equals == nil && t.OneOf == nil && t.Prefix == "" && t.Suffix == "" && t.Glob == "" && t.Under == "" && t.Max == nil:
		return "it tests nothing; use equals, one_of, prefix, suffix, glob, under or max"
	case t.Under != "" && (path.IsAbs(t.Under) || path.Clean(t.Under) != strings.TrimSuffix(t.Under, "/") || strings.HasPrefix(t.Under, "..")):
		return fmt.Sprintf("%q is no folder below the data folder", t.Under)
	}
	return ""
}

// IsRuleID reports whether a text may be the id of a rule.
func IsRuleID(text string) bool { return ruleID.MatchString(text) }

// IsTimeOfDay reports whether a text is a time of day such as 08:00, or 24:00 for its end.
func IsTimeOfDay(text string) bool {
	_, ok := minutes(text)
	return ok
}
