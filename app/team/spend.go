package team

import (
	"slices"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// What can be wrong with what a team may use.
var (
	errBudget = fault.Bad(map[string]string{
		"tokens": "Type a whole number of tokens from 50,000 to 1,000,000,000,000, or leave the field empty for no limit.",
	})
	errModel  = fault.Bad(map[string]string{"model": "Choose one of the models."})
	errNoCard = fault.Bad(map[string]string{
		"model": "This model costs extra, and no card is on file. Add one under Billing, then choose the model again.",
	})
)

// Bounds of a day's budget: a call reserves thousands of tokens before it leaves, and the number has to stay exact in JSON.
const (
	leastBudget = 50_000
	mostBudget  = 1_000_000_000_000
)

// Beyond lets the team work on, for money, when the pool is empty, or stops it there.
func Beyond(on bool) Edit {
	return func(c *wire.Config) error {
		c.Spend.Beyond = on
		return nil
	}
}

// Budget sets how many tokens a day one agent may use, or all together when agent is empty; 0 is no limit.
func Budget(agent string, tokens int64) Edit {
	if agent == "" {
		return func(c *wire.Config) error {
			c.Spend.Day = tokens
			return nil
		}
	}
	return agentEdit(agent, func(a *wire.AgentConfig) { a.Day = tokens })
}

// Model sets what an agent asks: a preset, or a model that costs extra.
func Model(agent, model string) Edit {
	return func(c *wire.Config) error {
		if !wire.IsPreset(model) && !slices.Contains(c.Spend.Models.Premium, model) {
			return errModel
		}
		if model == wire.PresetBalanced {
			model = "" // what is usual has one form, so that equal settings compare equal
		}
		return agentEdit(agent, func(a *wire.AgentConfig) { a.Model = model })(c)
	}
}

// Embeddings lets a model that is offered have the texts of notes, to say what they mean; empty: no model has them.
func Embeddings(model string) Edit {
	return func(c *wire.Config) error {
		if model != "" && model != c.Spend.Models.Embeddings {
			return errModel
		}
		c.Spend.Embeddings = model
		return nil
	}
}

// afford refuses a model that costs extra, chosen now, where nobody could be charged for it.
func afford(was, next wire.Config, b Business) error {
	if !b.NoCard {
		return nil
	}
	for id, a := range next.Agents {
		if !wire.IsPreset(a.Model) && a.Model != was.Agents[id].Model {
			return errNoCard
		}
	}
	return nil
}

// withoutExtra gives agents with a model that costs extra the usual one. It stays so when a card is on file again: the owner signs
// for what costs extra.
func withoutExtra(c *wire.Config) {
	for id, a := range c.Agents {
		if !wire.IsPreset(a.Model) {
			a.Model = ""
			c.Agents[id] = a
		}
	}
}

// fellBack are the models that agents lose with a version because no card is on file, by agent.
func fellBack(was, next wire.Config, b Business) map[string]string {
	out := map[string]string{}
	for id, a := range was.Agents {
		if b.NoCard && !wire.IsPreset(a.Model) && wire.IsPreset(next.Agents[id].Model) {
			out[id] = a.Model
		}
	}
	return out
}

// checkSpend refuses budgets that no server could keep.
func checkSpend(c wire.Config) error {
	days := []int64{c.Spend.Day}
	for _, a := range c.Agents {
		days = append(days, a.Day)
	}
	if slices.ContainsFunc(days, func(n int64) bool { return n != 0 && (n < leastBudget || n > mostBudget) }) {
		return errBudget
	}
	return nil
}
