package credential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// Generate is the tool generate_credential.
type Generate struct{ vault *vault.Vault }

// NewGenerate makes the tool.
func NewGenerate(v *vault.Vault) *Generate { return &Generate{v} }

// Definition says what the model sees. It is idempotent: what a call has made is known by its id.
func (t *Generate) Definition() tool.Definition {
	return tool.Definition{
		Name: "generate_credential", Doc: "Make a new secret on the server; nobody sees its value. You get its reference. constraints: length, classes (lower, upper, digit, symbol), ambiguous.",
		Args: tool.SchemaOf[policy.GenerateCredentialArgs](), Idempotent: true, Timeout: time.Minute,
	}
}

// Classify is the policy's.
func (t *Generate) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("generate_credential", args, policy.Env{})
}

// Run makes the value, unless there is one: that is rotate_credential's.
func (t *Generate) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, name, c, err := parseGenerate(args)
	if err != nil {
		return tool.Result{}, err
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("generate_credential: %w", err)
	}
	purpose := "call " + p.CallID()
	made, err := t.vault.Made(ctx, name, purpose)
	if err != nil {
		return tool.Result{}, err
	}
	info, err := t.vault.Info(ctx, name)
	switch {
	case err == nil && !made:
		return tool.Result{}, tool.Refuse("There is a secret %s.%s already. Use it, or rotate it.", in.Service, in.Key)
	case err != nil && !errors.Is(err, vault.ErrUnknown):
		return tool.Result{}, err
	case err != nil:
		info, err = t.vault.Generate(ctx, vault.New{Name: name, By: p.Agent(), For: purpose}, c, t.vault.SparingAgents(ctx, name))
	}
	if errors.Is(err, vault.ErrInvalid) || errors.Is(err, vault.ErrElsewhere) || errors.Is(err, vault.ErrTooMany) {
		return tool.Result{}, tool.Refuse("The value cannot be made: %v.", err)
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("generate_credential: %w", err)
	}
	out := refer(info, "Made the secret ")
	out.Effects = []tool.Effect{{Kind: "written", Target: name, Count: 1}}
	return out, nil
}

func parseGenerate(args json.RawMessage) (in policy.GenerateCredentialArgs, name string, c wire.SecretConstraints, err error) {
	if in, err = tool.Parse[policy.GenerateCredentialArgs](args); err != nil {
		return in, "", c, fmt.Errorf("generate_credential: %w", err)
	}
	if name, err = vault.NameOf(in.Service, in.Key); err != nil {
		return in, "", c, tool.Refuse("%s.%s is no name of a secret.", in.Service, in.Key)
	}
	if len(in.Constraints) > 0 {
		if c, err = tool.Parse[wire.SecretConstraints](in.Constraints); err != nil {
			return in, "", c, tool.Refuse("The constraints are length, classes and ambiguous: %v.", err)
		}
	}
	return in, name, c, nil
}
