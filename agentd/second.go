package agentd

import (
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/egress"
	"gatehouse/agentd/gate"
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

// leaving looks at what is about to leave the business, and counts what did.
type leaving struct {
	inside func() []string
	sent   *egress.Counter
}

func newLeaving(inside func() []string, now func() time.Time) leaving {
	return leaving{inside, egress.NewCounter(egress.Usual, now)}
}

// Look implements gate.Outgoing: for each recipient, the strictest counts. That a recipient is merely new says nothing
// here: the gate asks about those by its own table. One that looks like somebody known does.
func (l leaving) Look(o gate.Leaving) (policy.Opinion, []string) {
	verdict, kinds, recipients := egress.Allow, []string(nil), o.Recipients
	if len(recipients) == 0 {
		recipients = []string{""}
	}
	for _, to := range recipients {
		v := l.scanner(to).Scan(egress.Outgoing{Channel: o.Tool, Recipient: to, Known: l.known(o, to), Text: o.Text})
		for _, f := range v.Findings {
			if f.Kind != egress.New && !slices.Contains(kinds, string(f.Kind)) {
				kinds = append(kinds, string(f.Kind))
			}
		}
		switch {
		case v.Decision == egress.Block:
			verdict = egress.Block
		case len(kinds) > 0 && verdict != egress.Block:
			verdict = egress.Escalate
		}
	}
	return policy.Opinion(verdict), kinds
}

// known is whom people know; nothing for a host, which the registry names or nobody does.
func (l leaving) known(o gate.Leaving, to string) []string {
	if !strings.Contains(to, "@") {
		return nil
	}
	return append(slices.Clone(o.Known), l.inside()...)
}

// scanner counts mails to people. How often a business tool is called, limits say.
func (l leaving) scanner(to string) egress.Scanner {
	s := egress.Scanner{Secrets: redact.Current()}
	if strings.Contains(to, "@") {
		s.Volume = l.sent
	}
	return s
}

// Left implements gate.Outgoing.
func (l leaving) Left(recipients []string) {
	for _, to := range recipients {
		if strings.Contains(to, "@") {
			l.sent.Note(to)
		}
	}
}
