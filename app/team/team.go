package team

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// State is what is set and what the server has made of it.
type State struct {
	ServerID   server.ID
	Config     wire.Config // the newest version
	Running    wire.Config // the version that the server reported last; Version is 0 when it is none of these
	Applied    int64       // the version that the server reported last; 0: none yet
	Error      string      // why the server refused a version, in its words for people
	ReportedAt time.Time   // zero: never
}

// Refused says whether the server did not take the newest version.
func (s State) Refused() bool { return s.Error != "" && s.Waiting() }

// Next is the number of the version that follows. It is above everything that the server ever reported, so that it is
// applied even when the hub was set back to an older copy of its data. Rises of power are signed for it.
func (s State) Next() int64 { return max(s.Config.Version, s.Applied) + 1 }

// base is what a change starts from: the newest version, or the one that the server runs when it refused the newest.
func (s State) base() wire.Config {
	switch {
	case s.Config.Version == 0:
		return first()
	case s.Refused() && s.Running.Version > 0:
		return s.Running
	}
	return s.Config
}

// InForce is the number of the version that the server runs, as far as the hub knows: the newest one, if it is on its way. What is
// carried out at once is signed for it.
func (s State) InForce() int64 {
	if s.Refused() {
		return s.Applied
	}
	return max(s.Config.Version, s.Applied)
}

// Waiting says whether the newest version has not reached the server yet.
func (s State) Waiting() bool { return s.Applied < s.Config.Version }

// Business is what the settings take from the customer's account.
type Business struct {
	Name     string
	TimeZone string
	Inside   []string // addresses of the customer's own people, as far as they are proven

	Allowance // of the plan
}

// Allowance is what the customer's plan lets the team use.
type Allowance struct {
	Pool   *wire.Pool     // of the billing period that runs; nil: there is none yet
	Paused wire.PauseWhy  // why the team has to rest; empty: it has not
	Since  time.Time      // since when, where that is told
	Models wire.ModelMenu // what the operator offers
	NoCard bool           // no means of payment is on file: nobody could be charged for what costs extra
}

// first is the configuration of a new server: level 2, and level 1 for the secretary, so that a newcomer sees what
// would be written before it is.
func first() wire.Config {
	return wire.Config{DefaultLevel: 2, TimeZone: "UTC", Agents: map[string]wire.AgentConfig{"secretary": {Level: 1}}}
}

// take fills in what comes from the account, and counts what the owner added as inside too.
func take(c *wire.Config, b Business) {
	c.Business = b.Name
	if b.TimeZone != "" {
		c.TimeZone = b.TimeZone
	}
	c.Spend.Pool, c.Spend.Paused, c.Spend.PausedSince, c.Spend.Models = b.Pool, b.Paused, b.Since, b.Models
	if b.NoCard {
		withoutExtra(c)
	}
	inside := append(make([]string, 0, len(b.Inside)+len(c.Added)), c.Added...)
	for _, a := range b.Inside {
		inside = append(inside, Fold(a))
	}
	slices.Sort(inside)
	c.Inside = slices.Compact(inside)
}

// Fold gives an address the form in which addresses are compared.
func Fold(address string) string {
	return cases.Fold().String(norm.NFKC.String(strings.TrimSpace(address)))
}

// clone copies a configuration, so that a change does not reach into what was read.
func clone(c wire.Config) wire.Config {
	c.Agents = maps.Clone(c.Agents)
	if c.Agents == nil {
		c.Agents = map[string]wire.AgentConfig{}
	}
	for id, a := range c.Agents {
		a.Unlocked, a.Asks = slices.Clone(a.Unlocked), slices.Clone(a.Asks)
		c.Agents[id] = a
	}
	c.Inside, c.Added = slices.Clone(c.Inside), slices.Clone(c.Added)
	c.Tools.Denied, c.Tools.OwnerOnly = slices.Clone(c.Tools.Denied), slices.Clone(c.Tools.OwnerOnly)
	return c
}

var slug = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

// What can be wrong with a change.
var (
	errLevel     = fault.Bad(map[string]string{"level": "Choose level 1, 2 or 3."})
	errAgent     = fault.Bad(map[string]string{"agent": "There is no agent with this name."})
	errAddress   = fault.Bad(map[string]string{"address": "Type one complete email address, such as someone@example.com. Patterns such as *@example.com do not work here."})
	errManyAdded = fault.Bad(map[string]string{"address": "There are already 100 addresses. Remove one first."})
	errColleague = fault.Bad(map[string]string{"colleague": "There is no other agent with this name."})
	errTool      = fault.Bad(map[string]string{"tool": "There is no tool with this name."})
)

// check refuses a configuration that no server could run.
func check(c wire.Config) error {
	if c.DefaultLevel < 1 || c.DefaultLevel > 3 {
		return errLevel
	}
	for id, a := range c.Agents {
		if !slug.MatchString(id) {
			return errAgent
		}
		if a.Level < 0 || a.Level > 3 {
			return errLevel
		}
		if slices.ContainsFunc(a.Unlocked, func(t string) bool { return !slug.MatchString(t) }) {
			return errTool
		}
		if slices.ContainsFunc(a.Asks, func(other string) bool { return other == id || !slug.MatchString(other) }) {
			return errColleague
		}
	}
	if err := checkChats(c.Chats); err != nil {
		return err
	}
	return checkSpend(c)
}
