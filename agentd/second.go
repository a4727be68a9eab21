package agentd

import (
	"context"
	"strings"

	"gatehouse/agentd/egress"
	"gatehouse/agentd/guardian"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/rehearsal"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
)

// secondLook is the guardian of this server. It has a provider profile of its own: the model of GUARDIAN_MODEL, by the
// same way as the team's. Without one it plays its part in the rehearsal, and is off beside a real model until the
// owner switches it on.
func (d *Daemon) secondLook() *guardian.Guardian {
	if d.cfg.ModelName == "" {
		return guardian.New(rehearsal.New(0), true)
	}
	return guardian.New(lateModel{d}, d.cfg.GuardianModel != "")
}

// warnRules notes that the file of the rules could not be looked at.
func (d *Daemon) warnRules(err error) { d.log.Warn("rules not looked at", "error", err) }

// wrapped makes content from outside fit for a model.
type wrapped struct{}

// Wrap implements gate.Ingress.
func (wrapped) Wrap(source, sender, id, text string) (string, []string) {
	b := ingress.Wrap(source, sender, id, text, 0)
	return b.Text, b.Patterns
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

// leaving looks at what is about to leave the business.
type leaving struct{}

// Look implements gate.Outgoing.
func (leaving) Look(tool string, recipients []string, text string) (policy.Opinion, []string) {
	out := egress.Outgoing{Channel: tool, Text: text}
	if len(recipients) > 0 {
		out.Recipient = recipients[0]
		out.Text += strings.Join(recipients[1:], "\n")
	}
	v := egress.Scanner{Secrets: redact.Current()}.Scan(out)
	var kinds []string
	for _, f := range v.Findings {
		kinds = append(kinds, string(f.Kind))
	}
	return policy.Opinion(v.Decision), kinds
}
