package permission

import (
	"slices"
	"strconv"

	"gatehouse/views/ui"
)

// RulesProps is the rules as sentences, and what can be chosen in them.
type RulesProps struct {
	Rows     []RuleProps
	Agents   []ui.Option // those of the team, by id
	Tools    []string    // those that they have
	Zone     string      // in which the owner reads times
	Faults   []string    // what belongs to no rule
	Settings SettingsProps
	Unseen   bool   // it was to be saved, but has changed since it was shown
	Made     string // what a rule was just made of; may be empty
}

// RuleProps is one rule. Every text is as it was typed.
type RuleProps struct {
	N        int // its number among all
	Open     bool
	Fresh    bool // it was opened just now: the answer to one's own press takes the focus there
	Up, Down bool // it can be moved there

	Channel, ID, Effect, Agent, Tool, Action, Reason string
	Tiers, Origins                                   []string
	Tainted, Only                                    bool
	Tests                                            []TestProps
	Limits                                           LimitsProps

	AgentName string
	Kept      []string // what stays as it is in the text
	Faults    []string
	Bad       []string // the fields that they are about
	Gated     string   // where what goes outside is unlocked, as it is asked all the same; empty: nothing of the kind
}

// TestProps is one condition on what the agent wants to do.
type TestProps struct{ Arg, How, Value string }

// AmountProps is a number of a unit.
type AmountProps struct{ N, Unit string }

// LimitsProps are the limits of a rule.
type LimitsProps struct {
	Calls                 string
	Per, Cooldown, Bytes  AmountProps
	From, To, Zone        string
	Days                  []string
	Recipients, MoneyText string
}

// Other is the choice that says: something else, typed beside it.
const Other = "~"

// Domain is the way to test an address for its domain.
const Domain = "domain"

// field is the name of a field of the rule's form.
func (r RuleProps) field(name string) string { return RuleField(r.N, name) }

// RuleField is the name of a field in the form of rule n.
func RuleField(n int, name string) string { return "r" + strconv.Itoa(n) + "." + name }

// TestField is the name of a field of condition i of rule n.
func TestField(n, i int, name string) string {
	return RuleField(n, "test"+strconv.Itoa(i)+"."+name)
}

// bad reports whether a field has a fault.
func (r RuleProps) bad(field string) bool { return slices.Contains(r.Bad, field) }

// lines are the conditions with an empty one behind them, to be filled in.
func (r RuleProps) lines() []TestProps {
	return append(slices.Clone(r.Tests), TestProps{How: "equals"})
}

// more reports whether the part of the form with what is seldom needed has anything in it.
func (r RuleProps) more() bool {
	l := r.Limits
	sets := len(r.Tiers)+len(r.Origins) > 0 || r.Tainted || r.Only || r.Action != ""
	return sets || l.Cooldown.N+l.Recipients+l.Bytes.N+l.MoneyText != ""
}

// hold reports whether a control of a kind can hold a text; another one is typed as it is.
func hold(kind, text string) bool {
	switch kind {
	case "number":
		_, err := strconv.ParseInt(text, 10, 64)
		return text == "" || err == nil
	case "time":
		return text == "" || len(text) == 5 && text[2] == ':' && text < "24:00" && text[3] < '6'
	}
	return true
}

// kindFor is the type of an input that holds a text.
func kindFor(kind, text string) string {
	if hold(kind, text) {
		return kind
	}
	return "text"
}

// listed adds a value to choices that lack it, so that it stays chosen.
func listed(options []ui.Option, value, label string) []ui.Option {
	if slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == value }) {
		return options
	}
	return append(options, ui.Option{Value: value, Label: label})
}
