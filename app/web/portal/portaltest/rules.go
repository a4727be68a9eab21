package portaltest

import (
	"errors"
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// rules answers what is asked about the owner's rules; ok is false for anything else.
func (p *Peer) rules(q wire.RPCRequest) (result any, refusal *wire.RPCError, ok bool) {
	switch q.Method {
	case wire.MethodPermissionsGet:
		return p.Rules, nil, true
	case wire.MethodPermissionsSimulate:
		return p.simulated(params[wire.PermissionsTry](q).Text), nil, true
	case wire.MethodPermissionsSet:
		in := params[wire.PermissionsSet](q)
		if in.Base != p.Rules.Version {
			return nil, &wire.RPCError{Code: "conflict", Text: "The rules were changed meanwhile."}, true
		}
		if in.Signature == nil && p.simulated(in.Text).Loosens {
			return nil, &wire.RPCError{Code: "signature_required", Text: "This needs your signature."}, true
		}
		p.setRules(in.Text)
		return p.Rules, nil, true
	}
	return nil, nil, false
}

// SetRules puts rules in force, as the next version.
func (p *Peer) SetRules(text string) {
	p.Lock()
	defer p.Unlock()
	p.setRules(text)
}

func (p *Peer) setRules(text string) {
	p.Rules.Text = text
	p.Rules.Version++
	next := wire.PermissionVersion{Version: p.Rules.Version, Text: text}
	p.Rules.Versions = slices.Insert(slices.Clone(p.Rules.Versions), 0, next)
}

// simulated says what a text would change, as a server does: of past calls it says what the test put there.
func (p *Peer) simulated(text string) wire.PermissionsPreview {
	out := wire.PermissionsPreview{Checked: 100, Changed: p.Past, Diff: policy.DiffText("permissions.yaml", p.Rules.Text, text)}
	next, err := policy.ParseManifest([]byte(text))
	var bad policy.Problems
	if errors.As(err, &bad) {
		for _, one := range bad {
			out.Problems = append(out.Problems, wire.PermissionProblem(one))
		}
		return out
	}
	now, _ := policy.ParseManifest([]byte(p.Rules.Text))
	out.Loosens = policy.LoosensRules(now, next)
	return out
}
