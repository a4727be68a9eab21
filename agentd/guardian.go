package agentd

import (
	"context"

	"gatehouse/agentd/guardian"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/rehearsal"
)

// guardian is the second look of this server. It has a provider profile of its own: the model of GUARDIAN_MODEL, by the
// same way as the team's. Without one it plays its part in the rehearsal, and is off beside a real model until the
// owner switches it on.
func (d *Daemon) guardian() *guardian.Guardian {
	if d.cfg.ModelName == "" {
		return guardian.New(counted{rehearsal.New(0), d}, true)
	}
	return guardian.New(lateModel{d}, d.cfg.GuardianModel != "")
}

var _ llm.Provider = lateModel{}

// lateModel asks the guardian's model by the way to models, which is opened after the gate.
type lateModel struct{ d *Daemon }

// Name is the model's name.
func (m lateModel) Name() string {
	if m.d.cfg.GuardianModel != "" {
		return m.d.cfg.GuardianModel
	}
	return m.d.cfg.ModelName
}

// Rehearsal is false: where the team rehearses, the guardian does too, without this.
func (m lateModel) Rehearsal() bool { return false }

// Stream asks the model.
func (m lateModel) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	if m.d.way == nil {
		return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "there is no way to models yet"}
	}
	p, err := m.d.way.Provider(m.Name(), llm.Limits{})
	if err != nil {
		return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "the guardian's model cannot be asked", Err: err}
	}
	return p.Stream(ctx, o, text)
}
