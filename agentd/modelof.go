package agentd

import (
	"cmp"
	"slices"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/wire"
)

// modelSet are the ways to models that agents were given, made once each.
type modelSet struct {
	mu     sync.Mutex
	byName map[string]llm.Provider
}

// modelOf is the model that an agent asks now: the one behind its preset, a premium model that the owner has signed for, or
// the server's own. One that the server's model proxy does not have is refused there, in words.
func (d *Daemon) modelOf(agent string) llm.Provider {
	name := modelName(d.config(), agent)
	if d.way == nil || name == "" || name == d.model.Name() {
		return d.model // without a proxy there is one model for all: the rehearsal
	}
	d.models.mu.Lock()
	defer d.models.mu.Unlock()
	if p := d.models.byName[name]; p != nil {
		return p
	}
	p, err := d.way.Provider(name, llm.Limits{})
	if err != nil {
		d.log.Error("model cannot be asked; the server's own stands in", "agent", agent, "model", name, "error", err)
		return d.model
	}
	if d.models.byName == nil {
		d.models.byName = map[string]llm.Provider{}
	}
	d.models.byName[name] = p
	return p
}

// limitsOf is what the configuration lets the team use, as the model proxy keeps it.
func limitsOf(cfg wire.Config) budget.Limits {
	out := budget.Limits{
		Beyond: cfg.Spend.Beyond, Day: cfg.Spend.Day, Premium: cfg.Spend.Models.Premium, Zone: cfg.TimeZone, Agents: map[string]int64{},
		Signed: map[string]string{}, Paused: string(cfg.Spend.Paused),
	}
	if p := cfg.Spend.Pool; p != nil {
		out.Pool = &budget.Pool{From: p.From, To: p.To, Tokens: p.Tokens, Weights: budget.Weights(p.Weights)}
	}
	for id, a := range cfg.Agents {
		if a.Day > 0 {
			out.Agents[id] = a.Day
		}
		if !wire.IsPreset(a.Model) {
			out.Signed[id] = a.Model
		}
	}
	return out
}

// modelName is the model that is set for an agent; empty: the server's own.
func modelName(cfg wire.Config, agent string) string {
	chosen := cmp.Or(cfg.Agents[agent].Model, wire.PresetBalanced)
	if !wire.IsPreset(chosen) {
		return chosen
	}
	model := cfg.Spend.Models.Presets[chosen]
	if slices.Contains(cfg.Spend.Models.Premium, model) {
		return "" // nobody has signed for what costs extra
	}
	return model
}
