package guardian

import (
	"context"
	"fmt"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Guardian is a second model with its own prompt and its own provider.
type Guardian struct {
	model llm.Provider
	usual bool
}

// New makes a guardian of model, nil when none is configured. usual says whether it is on where the owner has set
// nothing.
func New(model llm.Provider, usual bool) *Guardian { return &Guardian{model: model, usual: usual} }

// Model names the model.
func (g *Guardian) Model() (name string, rehearsal bool) {
	if g.model == nil {
		return "", false
	}
	return g.model.Name(), g.model.Rehearsal()
}

// On says whether it is to be asked. What the owner switched on without a model being there answers doubt each time,
// for who relies on a second look must not go without one unnoticed.
func (g *Guardian) On(mode string) bool {
	switch mode {
	case "on":
		return true
	case "off":
		return false
	}
	return g.usual && g.model != nil
}

// Judge asks the model once. Whatever is no clear answer is doubt, and so is a yes to what it saw only a part of: what
// matters may stand behind the padding.
func (g *Guardian) Judge(ctx context.Context, m gate.Matter) wire.Judgement {
	if g.model == nil {
		return doubt("", "it is switched on, but no model is configured for it")
	}
	ask, whole, err := messages(m)
	if err != nil {
		return doubt(g.model.Name(), "the question could not be written down")
	}
	reply, err := llm.Ask(ctx, g.model, llm.Request{Agent: "guardian", Run: m.Run, Messages: ask}, func(string) {})
	if err != nil {
		return doubt(g.model.Name(), "its model gave no answer")
	}
	if len(reply.Calls) > 0 {
		return doubt(g.model.Name(), "it wanted to use a tool instead of answering")
	}
	v, err := Read(reply.Text)
	if err != nil {
		return doubt(g.model.Name(), fmt.Sprintf("its answer cannot be read: %v", err))
	}
	if !whole && v.Verdict == policy.Harmless {
		v = Verdict{policy.Escalate, "the call is too long for its model to see all of it"}
	}
	return wire.Judgement{Verdict: string(v.Verdict), Reason: v.Reason, Model: g.model.Name()}
}

func doubt(model, why string) wire.Judgement {
	return wire.Judgement{Verdict: string(policy.Escalate), Reason: why, Model: model, Failed: true}
}
