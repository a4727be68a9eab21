package policy

import (
	"encoding/json"
	"time"
)

// Past is a call that was decided before, with everything that a decision depends on.
type Past struct {
	ID       string
	RunID    string
	Time     time.Time
	Agent    string
	Tool     string
	Class    Class
	Args     json.RawMessage
	Channel  string
	Level    int
	Unlocked bool
	Sources  []Source
	Bytes    int64
}

// Changed is a call that other rules would have decided otherwise.
type Changed struct {
	Past   Past
	Before Verdict
	After  Verdict
	Rule   string // that decides it now; empty: the table does
}

// Simulate says which of these calls the rules in next would have decided otherwise than those in now. Windows,
// guardian, limits and budgets are left out: they belong to their moment.
func Simulate(now, next *Manifest, calls []Past, root string) []Changed {
	var all []Changed
	for _, c := range calls {
		before, _ := c.decide(now, root)
		after, ruling := c.decide(next, root)
		if before.Effect != after.Effect {
			all = append(all, Changed{Past: c, Before: before, After: after, Rule: ruling.Rule})
		}
	}
	return all
}

// decide judges the call under the rules of m.
func (c Past) decide(m *Manifest, root string) (Verdict, Ruling) {
	c.Class = m.Lift(c.Tool, c.Class.byTable())
	r := m.Judge(c.subject(root))
	taint := TaintOf(c.Sources, c.Class.Outside, "")
	return Decide(Input{
		Tier: c.Class.Tier, Level: c.Level, Unlocked: c.Unlocked, Outward: c.Class.Outward(), Always: Installs(c.Class.Action), Taint: taint,
		Novel: len(c.Class.Outside) > 0, Rule: r.Effect, RuleWhy: r.Why,
	}), r
}

func (c Past) subject(root string) Subject {
	return Subject{
		Agent: c.Agent, Tool: c.Tool, Action: c.Class.Action, Tier: c.Class.Tier, Table: c.Class.Table, Channel: c.Channel, Tainted: len(c.Sources) > 0,
		Args: c.Args, Root: root, To: c.Class.To, Recipients: len(c.Class.Outside), Bytes: c.Bytes, Money: c.Class.Money,
	}
}

// Loosens says which of these calls would be let through further under next than under now: what was denied is asked
// or runs, what was asked runs.
func Loosens(changed []Changed) []Changed {
	var all []Changed
	for _, c := range changed {
		if strictness[c.After.Effect] < strictness[c.Before.Effect] {
			all = append(all, c)
		}
	}
	return all
}
