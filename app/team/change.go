package team

import (
	"slices"
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// Edit is a change of the configuration, for Service.Change.
type Edit func(*wire.Config) error

// DefaultLevel sets the autonomy level of all agents that have none of their own.
func DefaultLevel(level int) Edit {
	return func(c *wire.Config) error {
		c.DefaultLevel = level
		return nil
	}
}

// Level sets the autonomy level of one agent; 0 gives it the default again.
func Level(agent string, level int) Edit {
	return agentEdit(agent, func(a *wire.AgentConfig) { a.Level = level })
}

// External unlocks a tool of an agent for calls that reach people outside, or locks it again.
func External(agent, tool string, unlocked bool) Edit {
	return agentEdit(agent, func(a *wire.AgentConfig) {
		a.Unlocked = slices.DeleteFunc(a.Unlocked, func(t string) bool { return t == tool })
		if unlocked {
			a.Unlocked = append(a.Unlocked, tool)
			slices.Sort(a.Unlocked)
		}
		if len(a.Unlocked) == 0 {
			a.Unlocked = nil // nothing unlocked has one form, so that equal settings compare equal
		}
	})
}

// Asks lets an agent hand tasks to a colleague, or no longer.
func Asks(agent, colleague string, may bool) Edit {
	return func(c *wire.Config) error {
		if !slug.MatchString(colleague) || colleague == agent {
			return errColleague
		}
		return agentEdit(agent, func(a *wire.AgentConfig) {
			a.Asks = without(a.Asks, colleague)
			if may {
				a.Asks = append(a.Asks, colleague)
				slices.Sort(a.Asks)
			}
		})(c)
	}
}

// Off switches an agent off or on.
func Off(agent string, off bool) Edit {
	return agentEdit(agent, func(a *wire.AgentConfig) { a.Off = off })
}

// maxAdded bounds the addresses that an owner adds.
const maxAdded = 100

// Inside counts an address that the owner names as inside the business, or no longer.
func Inside(address string, in bool) Edit {
	return func(c *wire.Config) error {
		a := Fold(address)
		i, there := slices.BinarySearch(c.Added, a)
		switch {
		case in == there:
		case !in:
			c.Added = slices.Delete(c.Added, i, i+1)
		case account.CheckEmail(a) != "", strings.ContainsAny(a, "*?"):
			return errAddress
		case len(c.Added) >= maxAdded:
			return errManyAdded
		default:
			c.Added = slices.Insert(c.Added, i, a)
		}
		if len(c.Added) == 0 {
			c.Added = nil // none have one form, so that equal settings compare equal
		}
		return nil
	}
}

func agentEdit(agent string, fn func(*wire.AgentConfig)) Edit {
	return func(c *wire.Config) error {
		if !slug.MatchString(agent) {
			return errAgent
		}
		a := c.Agents[agent]
		fn(&a)
		c.Agents[agent] = a
		return nil
	}
}
