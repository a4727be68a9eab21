package policy

import (
	"encoding/json"
	"slices"
	"strings"
)

// Subject is what the owner's rules see of a call.
type Subject struct {
	Agent      string
	Tool       string
	Action     string
	Tier       Tier
	Table      Tier   // the tier without the owner's Tiers; empty: they did not lift it
	Channel    string // name of the channel that the run's message came from
	Tainted    bool
	Args       json.RawMessage // canonical
	Root       string          // the data folder: paths in it are compared without it
	To         *Destination    // where a request to a business tool goes, as its class has it
	Recipients int
	Bytes      int64
	Money      *Money // nil: it moves none
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
	args := argsOf(s)
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
func (out *Ruling) take(r Rule, s Subject, args *callArgs) {
	if !r.matches(s, args) {
		return
	}
	effect, why := r.Effect, "the rule "+r.ID+" says "+string(r.Effect)
	if effect == Allow && !r.names(s.Tier) {
		effect = "" // it was lifted out of what the rule allows; the limits hold all the same
	}
	if over := r.Limits.exceeded(s); over != "" {
		effect, why = nextStricter(r.Effect), "it exceeds the rule "+r.ID+": "+over
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
// does. A call that the owner's Tiers lift stays in the reach of the rules about its tier of before.
func (r Rule) matches(s Subject, args *callArgs) bool {
	return ruleGlob(r.Agent, s.Agent) && ruleGlob(r.Tool, s.Tool) && ruleGlob(r.Action, s.Action) &&
		(r.names(s.Tier) || s.Table != "" && r.names(s.Table)) &&
		(len(r.Origin) == 0 || slices.Contains(r.Origin, OriginOf(s.Channel))) &&
		(!r.Tainted || s.Tainted) && r.fits(args)
}

// names says whether the rule is about calls of a tier.
func (r Rule) names(t Tier) bool { return len(r.Tier) == 0 || slices.Contains(r.Tier, t) }

// fits says whether the arguments pass every test of the rule.
func (r Rule) fits(args *callArgs) bool {
	for _, name := range keysOf(r.Args) {
		if !r.Args[name].holds(name, args, r.Effect) {
			return false
		}
	}
	return !r.Only || r.namesAll(args.plain())
}

// namesAll says whether the rule has a test of its own for each of these arguments.
func (r Rule) namesAll(args map[string]any) bool {
	for name := range args {
		if _, ok := r.Args[name]; !ok {
			return false
		}
	}
	return args != nil // else they cannot be read
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
