package wire

import (
	"encoding/json"
	"maps"
	"slices"
)

// SignedChange is a rise of power that a person signed, as part of the version of the configuration that brings it.
type SignedChange struct {
	Kind      ChangeKind      `json:"kind"`
	Body      json.RawMessage `json:"body"`
	Version   int64           `json:"version"` // the version that it was signed for
	Signature *Signature      `json:"signature"`
}

// Raise is one thing that a version lets an agent do more than the version before.
type Raise struct {
	Kind ChangeKind
	Body any // its canonical JSON is signed
}

// ChangeInside is the change of power that counts another address as inside the business: what goes there is not asked.
// Its body is the address.
const ChangeInside ChangeKind = "inside"

// Raises lists what next lets agents do more than was, in a fixed order. What is not in it needs no signature: of the
// addresses inside, the hub asks for one only for those that the owner adds.
func Raises(was, next Config) []Raise {
	var out []Raise
	if next.DefaultLevel > was.DefaultLevel {
		out = append(out, Raise{ChangeAutonomy, AutonomyBody{Level: next.DefaultLevel}})
	}
	if next.Spend.Beyond && !was.Spend.Beyond {
		out = append(out, Raise{ChangeOverage, OverageBody{On: true}})
	}
	if BudgetRises(was.Spend.Day, next.Spend.Day) {
		out = append(out, Raise{ChangeBudget, BudgetBody{Tokens: next.Spend.Day}})
	}
	for _, tool := range lost(was.Tools.Denied, next.Tools.Denied) {
		out = append(out, Raise{ChangeToolBack, ToolBody{Tool: tool}})
	}
	for _, tool := range lost(was.Tools.OwnerOnly, next.Tools.OwnerOnly) {
		out = append(out, Raise{ChangeToolForAll, ToolBody{Tool: tool}})
	}
	if m := next.Spend.Embeddings; m != "" && m != was.Spend.Embeddings {
		out = append(out, Raise{ChangeEmbeddings, EmbeddingsBody{Model: m}})
	}
	ids := maps.Clone(was.Agents)
	if ids == nil {
		ids = map[string]AgentConfig{}
	}
	maps.Copy(ids, next.Agents)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		out = append(out, agentRaises(id, was, next)...)
	}
	for _, a := range next.Added {
		if !slices.Contains(was.Added, a) {
			out = append(out, Raise{ChangeInside, a})
		}
	}
	return out
}

func agentRaises(id string, was, next Config) (out []Raise) {
	a, b := was.Agents[id], next.Agents[id]
	inherits := a.Level == 0 && b.Level == 0 // then it rises with the default, which is signed once
	if !inherits && level(b, next) > level(a, was) {
		out = append(out, Raise{ChangeAutonomy, AutonomyBody{Agent: id, Level: b.Level}})
	}
	for _, tool := range slices.Sorted(slices.Values(b.Unlocked)) {
		if !slices.Contains(a.Unlocked, tool) {
			out = append(out, Raise{ChangeUnlock, UnlockBody{Agent: id, Tool: tool}})
		}
	}
	for _, colleague := range b.Asks {
		if !slices.Contains(a.Asks, colleague) {
			out = append(out, Raise{ChangeAsk, AskBody{Agent: id, Colleague: colleague}})
		}
	}
	if a.Off && !b.Off {
		out = append(out, Raise{ChangeOn, AgentBody{Agent: id}})
	}
	if b.Model != a.Model && !IsPreset(b.Model) {
		out = append(out, Raise{ChangeModel, ModelBody{Agent: id, Model: b.Model}})
	}
	if BudgetRises(a.Day, b.Day) {
		out = append(out, Raise{ChangeBudget, BudgetBody{Agent: id, Tokens: b.Day}})
	}
	if a.Sandboxed && !b.Sandboxed {
		out = append(out, Raise{ChangeSandboxLeft, AgentBody{Agent: id}})
	}
	return out
}

// lost are those of a list that another does not have, sorted.
func lost(was, next []string) []string {
	left := slices.DeleteFunc(slices.Clone(was), func(s string) bool { return slices.Contains(next, s) })
	slices.Sort(left)
	return left
}

// IsPreset says whether an agent's model is one that draws on the pool: a preset, or none of its own.
func IsPreset(model string) bool {
	return slices.Contains([]string{"", PresetBasic, PresetBalanced, PresetComplex}, model)
}

// BudgetRises says whether a day's budget of tokens lets more through than the one before; 0 is none at all.
func BudgetRises(was, next int64) bool { return was != 0 && (next == 0 || next > was) }

func level(a AgentConfig, c Config) int {
	if a.Level != 0 {
		return a.Level
	}
	return c.DefaultLevel
}
