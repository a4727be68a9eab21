package agentd

import (
	"cmp"
	"sync"

	"gatehouse/agentd/llm"
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

// modelName is the model that is set for an agent; empty: the server's own.
func modelName(cfg wire.Config, agent string) string {
	chosen := cmp.Or(cfg.Agents[agent].Model, wire.PresetBalanced)
	if wire.IsPreset(chosen) {
		return cfg.Spend.Models.Presets[chosen]
	}
	return chosen
}
