package team

import (
	"context"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// ModelProps is what one agent thinks with, and how much of it a day.
type ModelProps struct {
	Agent     portal.AgentProps
	Sync      portal.SyncProps
	Models    []ModelProp
	Rehearsal bool   // the built-in stand-in answers, whatever is chosen
	Refused   string // why the model was not changed
	NoCard    bool   // nobody could be charged for what costs extra
	Day       int64  // tokens a day; 0: no limit
	Typed     string
	Problem   string
}

// ModelProp is one choice.
type ModelProp struct {
	Value   string // a preset, or the name of a premium model
	Model   string // what is behind a preset; empty: the server's own model
	Chosen  bool
	Premium bool
	Price   string // of a premium model, in words; empty: not known, so it cannot be chosen
}

var presetNames = map[string]i18n.Key{"basic": "portal.model.basic", "balanced": "portal.model.balanced", "complex": "portal.model.complex"}

var presetHints = map[string]i18n.Key{
	"basic": "portal.model.basic_hint", "balanced": "portal.model.balanced_hint", "complex": "portal.model.complex_hint",
}

// ModelName is what a choice is called: a preset by its words, a premium model by its name.
func ModelName(ctx context.Context, value string) string {
	if key, ok := presetNames[value]; ok {
		return i18n.T(ctx, key)
	}
	return value
}

func (m ModelProp) hint(ctx context.Context) string {
	if key, ok := presetHints[m.Value]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.T(ctx, "portal.model.premium_hint", "price", m.Price)
}

// needsCard says whether the page offers what cannot be chosen without a card.
func (p ModelProps) needsCard() bool {
	return p.NoCard && slices.ContainsFunc(p.Models, func(m ModelProp) bool { return m.Premium })
}

// premiumPower asks before an agent gets a model that costs extra.
func premiumPower(ctx context.Context, p ModelProps, m ModelProp) portal.Power {
	id := "model-" + strconv.Itoa(p.index(m))
	return portal.Power{
		ID: "confirm-" + id, Form: id, Name: "model", Value: m.Value, Cancel: ModelPath(p.Agent.Agent.ID),
		Title: i18n.T(ctx, "portal.model.confirm", "agent", p.Agent.Agent.Name, "model", m.Value),
		Says:  says(i18n.T(ctx, "portal.model.confirm_says", "price", m.Price)), Do: i18n.T(ctx, "portal.model.use"),
	}
}

func (p ModelProps) index(m ModelProp) int {
	for i, other := range p.Models {
		if other.Value == m.Value {
			return i
		}
	}
	return -1
}

// signsModel is what the script signs for a premium model; a preset needs no signature.
func signsModel(ctx context.Context, p ModelProps, m ModelProp) templ.Attributes {
	if !m.Premium {
		return nil
	}
	out := portal.Signs(p.Sync, "agent.model", map[string]any{"agent": p.Agent.Agent.ID, "model": m.Value})
	for name, value := range premiumPower(ctx, p, m).Asks() {
		out[name] = value
	}
	return out
}
