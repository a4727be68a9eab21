package gate

import (
	"crypto/sha256"
	"encoding/hex"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/strict"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// proposeRule makes the rule that would let calls like this one through without asking; nil when no rule may.
func (p *pipeline) proposeRule(id string) *wire.RuleProposal {
	s := p.config()
	if p.class.Tier == policy.YellowExternal && !s.Unlocked(p.call.Agent, p.call.Tool) || p.scanEffect != "" {
		return nil // it would be asked all the same
	}
	r, ok := policy.RuleFor("from-"+id, p.ruleSubject(), p.class.Outside)
	if !ok {
		return nil
	}
	text, err := policy.RuleText(r)
	if err != nil || redact.Text(text) != text {
		return nil
	}
	next, err := policy.AddRule([]byte(s.RulesText()), r)
	if err != nil {
		return nil
	}
	_, version := s.Rules()
	return &wire.RuleProposal{ID: r.ID, Text: text, Base: version, Diff: policy.DiffText("permissions.yaml", s.RulesText(), string(next))}
}

// allowAsRule lets the call run and adds the rule that the person saw.
func (t txn) allowAsRule(a *approval, d wire.Decision) error {
	if a.Rule == nil {
		return t.askAgain(a, d, "no rule may be made of this")
	}
	scope, err := strict.Parse[wire.RuleScope](d.Scope)
	sum := sha256.Sum256([]byte(a.Rule.Text))
	if err != nil || scope.Rule != hex.EncodeToString(sum[:]) {
		return t.askAgain(a, d, "the rule is not the one that was shown")
	}
	no, err := t.addRule(a, d)
	if err != nil {
		return err
	}
	if no != nil {
		return t.askAgain(a, d, no.Text)
	}
	return t.allowOnce(a, d, map[string]any{"rule": a.Rule.ID, "rules_version": a.Rule.Base + 1})
}

// addRule adds the rule of an approval to the rules in force.
func (t txn) addRule(a *approval, d wire.Decision) (*wire.RPCError, error) {
	s := t.config()
	if _, version := s.Rules(); version != a.Rule.Base {
		return &wire.RPCError{Code: "conflict", Text: "the rules have changed meanwhile"}, nil
	}
	next, err := policy.AppendRule([]byte(s.RulesText()), a.Rule.Text)
	if err != nil {
		return &wire.RPCError{Code: "bad_request", Text: "the rule cannot be added: " + err.Error()}, nil
	}
	return t.deps.Rules.SetSigned(t.ctx, t.tx, wire.PermissionsSet{
		ID: a.ID, Base: a.Rule.Base, Text: string(next), Reason: "made of the request " + a.Code,
		By: wire.Origin{UserID: d.By.UserID, Email: d.By.Name, Channel: d.By.Channel, Address: d.By.Address}, Signature: d.Signature,
	})
}
