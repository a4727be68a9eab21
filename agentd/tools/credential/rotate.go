package credential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// Rotate is the tool rotate_credential.
type Rotate struct {
	vault *vault.Vault
	how   vault.Applier
	ended vault.Ended
}

// NewRotate makes the tool. how changes secrets in their services; nil knows none. ended puts on record what came of a
// rotation: of one that a person has begun too, when the tool has to end it first.
func NewRotate(v *vault.Vault, how vault.Applier, ended vault.Ended) *Rotate {
	return &Rotate{v, how, ended}
}

// Definition says what the model sees. It is idempotent: a rotation that was cut off is first brought to its end.
func (t *Rotate) Definition() tool.Definition {
	return tool.Definition{
		Name: "rotate_credential", Doc: "Replace a secret by a new value, in its service and in the vault. If the service does not take it, the old one stays.",
		Args: tool.SchemaOf[policy.RotateCredentialArgs](), Idempotent: true, Timeout: 3 * time.Minute,
	}
}

// Classify is the policy's.
func (t *Rotate) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("rotate_credential", args, policy.Env{})
}

// Run replaces the value, once for a call.
func (t *Rotate) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.RotateCredentialArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("rotate_credential: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("rotate_credential: %w", err)
	}
	info, err := t.once(ctx, in.SecretID, p)
	switch {
	case errors.Is(err, vault.ErrUnknown):
		return tool.Result{}, tool.Refuse("There is no secret %s.", in.SecretID)
	case errors.Is(err, vault.ErrUnclear):
		return tool.Result{}, tool.Refuse("%s: %v.", in.SecretID, err)
	case errors.Is(err, vault.ErrBusy):
		return tool.Result{}, tool.Refuse("%s was not replaced: %v.", in.SecretID, vault.ErrBusy)
	case slices.ContainsFunc(notReplaced, func(known error) bool { return errors.Is(err, known) }):
		return tool.Result{}, tool.Refuse("%s was not replaced: %v.", in.SecretID, err)
	case err != nil:
		return tool.Result{}, fmt.Errorf("rotate_credential: %w", err)
	}
	out := refer(info, "Replaced the secret ")
	out.Effects = []tool.Effect{{Kind: "written", Target: in.SecretID, Count: 1}}
	return out, nil
}

// notReplaced are errors after which the former value still holds.
var notReplaced = []error{vault.ErrNoApplier, vault.ErrNowhere, vault.ErrTooMany, vault.ErrNotApplied, vault.ErrInvalid, vault.ErrElsewhere}

func (t *Rotate) once(ctx context.Context, name string, p gate.Permit) (wire.SecretInfo, error) {
	purpose := "call " + p.CallID()
	made, err := t.vault.Made(ctx, name, purpose)
	if err != nil || made {
		if err != nil {
			return wire.SecretInfo{}, err
		}
		return t.vault.Info(ctx, name)
	}
	return t.vault.Rotate(ctx, t.how, vault.Rotation{Name: name, By: p.Agent(), For: purpose, Begun: t.vault.SparingAgents(ctx, name), Ended: t.ended})
}
