package policy

import (
	"fmt"
	"slices"

	"gatehouse/agentd/lazyre"
)

// Tiers are the tools and actions that the owner wants treated as riskier than the table does, by name: a tool such as
// file_write, a name of the table of actions such as ghost_publish, or an action such as ghost.post.publish.
type Tiers map[string]Tier

// liftable are the tiers that a call can be lifted to. Each lets less through than those before it; yellow_external, which
// lies apart, would not.
var liftable = []Tier{Yellow, Red, CriticalRed, Forbidden}

var actionName = lazyre.MustCompile(`^[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+$`)

// wrong names the first of these tiers with which something is wrong, and says what; empty: nothing is.
func (t Tiers) wrong() (name, why string) {
	for _, name := range keysOf(t) {
		_, tool := classifiers[name]
		_, alias := actions[name]
		if !tool && !alias && !actionName.MatchString(name) {
			return name, fmt.Sprintf("there is no tool or action %q", visible(name))
		}
		if !slices.Contains(liftable, t[name]) {
			return name, fmt.Sprintf("%s cannot be lifted to %q; use yellow, red, critical_red or forbidden", name, visible(string(t[name])))
		}
	}
	return "", ""
}

// Lift is what a call of a tool counts as under the owner's tiers: as what the table says, or as riskier. It may be asked
// again of what it answered.
func (m *Manifest) Lift(tool string, c Class) Class {
	for name, t := range orEmpty(m).Tiers {
		if t.Rank() <= c.Tier.Rank() || name != tool && name != c.Action && actions[name].action != c.Action {
			continue
		}
		table := c.Table
		if table == "" {
			table = c.Tier
		}
		c = c.Raised(t, "The owner's rules treat it as "+string(t)+".")
		c.Table = table
	}
	return c
}

// byTable is c without what Lift did.
func (c Class) byTable() Class {
	if c.Table != "" {
		c.Tier, c.Table = c.Table, ""
	}
	return c
}

// loosensTiers says whether something was lifted higher in from than it is in to.
func loosensTiers(from, to Tiers) bool {
	for name, t := range from {
		if now, ok := to[name]; !ok || now.Rank() < t.Rank() {
			return true
		}
	}
	return false
}
