package portaltest

import (
	"errors"

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
		p.Rules.Text = in.Text
		p.Rules.Version++
		return p.Rules, nil, true
	}
	return nil, nil, false
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
