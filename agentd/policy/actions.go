package policy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed table/actions.txt
var actionText string

// actionRule is an action name that is accepted as a tool.
type actionRule struct {
	tier   Tier
	action string
	says   string
}

// actions are all of them, by name.
var actions = mustActions(actionText)

func mustActions(text string) map[string]actionRule {
	out := map[string]actionRule{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" || f[0] == "version" {
			continue
		}
		if _, ok := tierRank[Tier(f[1])]; !ok || len(f) < 4 || strings.Count(f[2], ".") != 2 {
			panic(fmt.Sprintf("policy: table of actions: %q", line))
		}
		out[f[0]] = actionRule{Tier(f[1]), f[2], strings.Join(f[3:], " ")}
	}
	return out
}

// maxActionArgs is how long the arguments of an action may be in bytes.
const maxActionArgs = 64 << 10

// Action classifies a call that bears the name of an action. What stands in its arguments can only make it worse.
func Action(name string, raw json.RawMessage, env Env) (Class, error) {
	rule := actions[name]
	facts, err := plainFacts(raw)
	if err != nil {
		return Class{}, err
	}
	c := Class{Tier: rule.tier, Action: rule.action, Says: rule.says}
	for _, f := range facts {
		for _, v := range f.values {
			c = c.worse(actionValue(name, f.name, v, env))
		}
	}
	if c.Tier == Forbidden {
		return Refuse(c.Action, c.Why), nil
	}
	c.Says += factsText(facts)
	return c, nil
}

// worse is the riskier of two judgements under the name of the first.
func (c Class) worse(other Class) Class {
	if other.Tier != "" && other.Tier.Rank() > c.Tier.Rank() {
		c.Tier, c.Why = other.Tier, other.Why
	}
	c.Outside = append(c.Outside, other.Outside...)
	return c
}

type fact struct {
	name   string
	values []string
}

// plainFacts reads an object of texts, numbers, yes and no, and lists of them.
func plainFacts(raw json.RawMessage) ([]fact, error) {
	if len(raw) > maxActionArgs || !utf8.Valid(raw) || hasTwice(string(raw)) {
		return nil, fmt.Errorf("not one plain object")
	}
	var in map[string]any
	if err := json.Unmarshal(raw, &in); err != nil || in == nil {
		return nil, fmt.Errorf("not one plain object")
	}
	var out []fact
	for name, v := range in {
		f, err := factOf(name, v)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b fact) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func factOf(name string, v any) (fact, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	f := fact{name: name}
	for _, one := range list {
		switch one := one.(type) {
		case string:
			f.values = append(f.values, one)
		case bool, float64:
			f.values = append(f.values, fmt.Sprint(one))
		default:
			return f, fmt.Errorf("field %q is not plain", visible(name))
		}
	}
	if !envKey.MatchString(name) || slices.ContainsFunc(f.values, func(s string) bool { return strings.ContainsFunc(s, badRune) }) {
		return f, fmt.Errorf("field %q is not plain", visible(name))
	}
	return f, nil
}

func factsText(facts []fact) string {
	var parts []string
	for _, f := range facts {
		parts = append(parts, f.name+"="+visible(strings.Join(f.values, ",")))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(longLast(parts), " ")
}

// actionValue judges one value of an action by the name that it stands under.
func actionValue(action, name, v string, env Env) Class {
	switch name {
	case "query", "sql", "statement":
		if action == "query_select" {
			return SQL(SQLArgs{Query: v})
		}
	case "url":
		return asked(v, env)
	case "domain", "host", "hostname", "name", "server":
		if action == "dns_lookup" || action == "cert_check" || action == "check_status" || action == "uptime_check" {
			return asked("https://"+v+"/", env)
		}
		return option(v)
	case "path", "file":
		return FileRead(v, env)
	case "container", "volume", "service", "id", "monitor", "site", "website":
		return option(v)
	}
	return Class{}
}

// option refuses a name that a program would take for a flag, or for a path.
func option(v string) Class {
	if strings.HasPrefix(v, "-") || strings.ContainsAny(v, "\n ;|&$`<>(){}\\\"'") || strings.Contains(v, "..") {
		return Refuse("", "That is not a plain name.")
	}
	return Class{}
}

// asked judges a host that is asked for its name, certificate or state. What is asked for is told to whoever answers:
// green only for hosts that somebody named. Without a registry an ordinary name passes, and one that looks as if it
// carried something does not.
func asked(address string, env Env) Class {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	c := Reach(address, env)
	if t, err := readURL(address); err == nil && env.ByName && c.Tier == Yellow && t.bare && ordinary(t.host) {
		return Class{Tier: Green}
	}
	return c
}

// ordinary says whether a host name is short and looks like words.
func ordinary(host string) bool {
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if len(l) > 20 || strings.Count(l, "-") > 2 || len(strings.Trim(l, "0123456789")) < len(l)/2 {
			return false
		}
	}
	return len(labels) <= 4 && len(host) <= 48
}
