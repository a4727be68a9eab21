package sentence

// Row is one rule as a form holds it.
type Row struct {
	Channel string // whose rule set it belongs to; empty: it holds for all

	ID, Effect          string
	Agent, Tool, Action string
	Tiers, Origins      []string
	Tainted, Only       bool
	Tests               []Test
	Limits              Limits
	Reason              string

	Kept []Kept // what no form can hold
}

// Test is one test of an argument: "to", "suffix", "@example.com". A list of values has one on each line.
type Test struct{ Arg, How, Value string }

// Limits are the limits of a rule.
type Limits struct {
	Calls      string // how many
	Per        Amount // in which time
	Cooldown   Amount
	Hours      Hours
	Recipients string
	Bytes      Amount
	Money      string // in whole units of the currency, with two decimals
}

// Hours are hours of the week.
type Hours struct {
	From, To, Zone string
	Days           []string
}

// None reports whether there are no hours. A zone alone makes none.
func (h Hours) None() bool { return h.From == "" && h.To == "" && len(h.Days) == 0 }

// Kept is a part of a rule that stays in the text as it is.
type Kept struct {
	Field string // where it stands in the rule, such as args.to.equals
	Text  string // as YAML
}

// The ways to test an argument.
const (
	Equals = "equals"
	OneOf  = "one_of"
	Prefix = "prefix"
	Suffix = "suffix"
	Glob   = "glob"
	Under  = "under"
	Max    = "max"
)

// Hows are all ways to test an argument.
var Hows = []string{Equals, OneOf, Prefix, Suffix, Glob, Under, Max}

// What a row may name of each.
var (
	Effects = []string{"allow", "ask", "deny"}
	Tiers   = []string{"green", "yellow", "yellow_external", "red", "critical_red"}
	Origins = []string{"portal", "api", "channel", "schedule", "webhook"}
	Days    = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
)

// fields are the fields of a rule, in the order in which new ones are written.
var fields = []string{"id", "effect", "agent", "tool", "action", "tier", "origin", "tainted", "args", "only", "limits", "reason"}

// limitFields are those of its limits, and hourFields those of hours.
var (
	limitFields = []string{"rate", "cooldown", "hours", "max_recipients", "max_bytes", "max_money"}
	hourFields  = []string{"from", "to", "days", "zone"}
)
