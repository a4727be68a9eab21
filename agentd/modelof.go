package agentd

import (
	"cmp"
	"slices"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/via"
	"gatehouse/agentd/memory/meaning"
	"gatehouse/agentd/wire"
)

// modelSet are the ways to models that agents were given, made once each.
type modelSet struct {
	mu     sync.Mutex
	byName map[string]*via.Provider
}

// modelOf is the model that an agent asks now: the one behind its preset, a premium model that the owner has signed for, or
// the server's own. One that the server's model proxy does not have is refused there, in words.
func (d *Daemon) modelOf(agent string) llm.Provider {
	name := d.modelNamed(d.config(), agent)
	if name == d.model.Name() {
		return d.model
	}
	p, err := d.byWay(name)
	if err != nil {
		d.log.Error("model cannot be asked; the server's own stands in", "agent", agent, "model", name, "error", err)
		return d.model
	}
	return p
}

// byWay is a model of this name, asked through the model proxy.
func (d *Daemon) byWay(name string) (*via.Provider, error) {
	d.models.mu.Lock()
	defer d.models.mu.Unlock()
	if p := d.models.byName[name]; p != nil {
		return p, nil
	}
	p, err := d.way.Provider(name, llm.Limits{})
	if err != nil {
		return nil, err
	}
	if d.models.byName == nil {
		d.models.byName = map[string]*via.Provider{}
	}
	d.models.byName[name] = p
	return p, nil
}

// embedder is the model that says what notes mean; none unless the owner has signed for one, and the rehearsal has none.
func (d *Daemon) embedder() meaning.Model {
	name := d.config().Spend.Embeddings
	if name == "" || d.way == nil {
		return meaning.Model{}
	}
	p, err := d.byWay(name)
	if err != nil {
		d.log.Error("model cannot be asked what notes mean", "model", name, "error", err)
		return meaning.Model{}
	}
	return meaning.Model{Name: name, Embedder: p}
}

// modelNamed is the name of the model that an agent asks under a configuration.
func (d *Daemon) modelNamed(cfg wire.Config, agent string) string {
	if d.way == nil {
		return d.model.Name() // without a proxy there is one model for all: the rehearsal
	}
	return ModelOf(cfg, agent, d.model.Name())
}

// ModelOf is the name of the model that an agent asks under a configuration, on a server with a model of its own.
func ModelOf(cfg wire.Config, agent, own string) string { return cmp.Or(modelName(cfg, agent), own) }

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
	if m := cfg.Spend.Embeddings; m != "" {
		out.Signed[meaning.Agent] = m
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
