package counter

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// shownFor is how many seconds a page may show a value.
const shownFor = 30

// here answers vault.ErrElsewhere for a secret whose value is changed in the external vault.
func (c *Counter) here(ctx context.Context, name string) error {
	was, err := c.d.Vault.Info(ctx, name)
	switch {
	case errors.Is(err, vault.ErrUnknown):
		return nil // it is about to be made
	case err == nil && was.Origin != nil:
		return vault.ErrElsewhere
	}
	return err
}

// provide takes a value in, for a call that waits or for the vault at large.
func (c *Counter) provide(ctx context.Context, p wire.SecretProvide) (wire.SecretInfo, error) {
	if err := c.here(ctx, p.Name); err != nil {
		return wire.SecretInfo{}, err
	}
	if err := c.waits(ctx, p.Request, p.Name); err != nil {
		return wire.SecretInfo{}, err
	}
	val, err := c.unseal(ctx, wire.MethodSecretsProvide, p.Name, p.Nonce, p.Box)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return c.d.Vault.Put(ctx, vault.New{Name: p.Name, Kind: p.Kind, Value: val, Source: vault.FromOwner, By: who(p.By), For: p.Request},
		c.d.Vault.Sparing(ctx, p.Name), c.noting("secret.provided", p.Name, p.By, asked(p.Request)))
}

// waits says whether a call waits for this very name.
func (c *Counter) waits(ctx context.Context, request, name string) error {
	if request == "" {
		return nil
	}
	r, err := c.d.Vault.Request(ctx, request)
	switch {
	case err != nil:
		return err
	case r.State != vault.Pending:
		return vault.ErrAnswered
	case r.Name != name:
		return &wire.RPCError{Code: "bad_request", Text: "This step waits for a different credential. Nothing was done."}
	}
	return nil
}

func asked(request string) map[string]any {
	if request == "" {
		return nil
	}
	return map[string]any{"call_id": request}
}

// decline answers a waiting call with no.
func (c *Counter) decline(ctx context.Context, p wire.SecretDecline) (wire.SecretRequest, error) {
	r, err := c.d.Vault.Request(ctx, p.Request)
	if err != nil {
		return wire.SecretRequest{}, err
	}
	if err := c.d.Vault.Close(ctx, r.ID, vault.Declined, c.noting("secret.declined", r.Name, p.By, asked(r.ID))); err != nil {
		return wire.SecretRequest{}, err
	}
	return c.d.Vault.Request(ctx, r.ID)
}

// reveal gives a value to the browser that asked, and to nobody between. Signature, receipt and audit are one Write, and
// durable before anything is opened.
func (c *Counter) reveal(ctx context.Context, p wire.SecretReveal) (wire.SecretRevealed, error) {
	if err := c.nonces.take(p.Nonce, wire.MethodSecretsReveal, p.Name); err != nil {
		return wire.SecretRevealed{}, err
	}
	if _, err := wire.SecretPublic(p.ReplyKey); err != nil {
		return wire.SecretRevealed{}, err
	}
	body, err := wire.SecretRevealBody(p)
	if err != nil {
		return wire.SecretRevealed{}, fmt.Errorf("reveal: %w", err)
	}
	var by string
	val, version, err := c.d.Vault.Reveal(ctx, p.Name, who(p.By), func(tx *sql.Tx) (err error) {
		if by, err = c.signed(ctx, tx, wire.ChangeSecretReveal, body, p.Signature); err != nil {
			return err
		}
		return c.note(tx, "secret.revealed", p.Name, p.By, map[string]any{"key_id": by})
	})
	if err != nil {
		return wire.SecretRevealed{}, err
	}
	box, err := wire.SealSecret(p.ReplyKey, wire.SecretPurpose{Method: wire.MethodSecretsReveal, ServerID: c.d.ServerID(), Name: p.Name, Nonce: p.Nonce}, []byte(val.Reveal()))
	return wire.SecretRevealed{Name: p.Name, Version: version, Box: box, Seconds: shownFor}, err
}

// signed asks the keys of the approvers. Without any, nothing that needs one happens.
func (c *Counter) signed(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body json.RawMessage, s *wire.Signature) (string, error) {
	if c.d.Signed == nil || s == nil {
		return "", &wire.RPCError{Code: "signature_required", Text: "You can do this only on a device that may approve. Nothing was done."}
	}
	return c.d.Signed.Change(ctx, tx, k, body, s)
}

// generate makes a value that nobody sees.
func (c *Counter) generate(ctx context.Context, p wire.SecretGenerate) (wire.SecretInfo, error) {
	if err := c.waits(ctx, p.Request, p.Name); err != nil {
		return wire.SecretInfo{}, err
	}
	return c.d.Vault.Generate(ctx, vault.New{Name: p.Name, Kind: p.Kind, By: who(p.By), For: p.Request}, p.Constraints,
		c.d.Vault.Sparing(ctx, p.Name), c.noting("secret.generated", p.Name, p.By, asked(p.Request)))
}

// errOwnValue refuses to set a value in a service that came from outside: anyone can seal one to this server, and whoever
// carries the box could put in the place of a person's value one of his own, and then sign in to the service with it.
var errOwnValue = &wire.RPCError{Code: "conflict", Text: "Your server changes this credential in its service by itself, with a value that it creates. To use your own value, change it in the service first, then enter it here."}

// rotate replaces a value: in the service too where agentd knows how; otherwise a person has changed it there and gives
// the new one here.
func (c *Counter) rotate(ctx context.Context, p wire.SecretRotate) (wire.SecretInfo, error) {
	was, err := c.d.Vault.Info(ctx, p.Name)
	if err == nil && was.Origin != nil {
		err = vault.ErrElsewhere
	}
	if err != nil {
		return wire.SecretInfo{}, err
	}
	var val secret.Value
	if p.Box != "" {
		if val, err = c.unseal(ctx, wire.MethodSecretsRotate, p.Name, p.Nonce, p.Box); err != nil {
			return wire.SecretInfo{}, err
		}
	}
	applies := c.d.Applier != nil && c.d.Applier.Applies(p.Name)
	if applies && !val.Empty() {
		return wire.SecretInfo{}, errOwnValue
	}
	from := map[string]any{"from_version": was.Version}
	switch {
	case applies:
		return c.apply(ctx, p, from)
	case val.Empty():
		return wire.SecretInfo{}, vault.ErrNoApplier
	}
	return c.d.Vault.Put(ctx, vault.New{Name: p.Name, Value: val, Source: vault.FromOwner, By: who(p.By), For: "rotation"},
		c.d.Vault.Sparing(ctx, p.Name), c.noting("secret.rotated", p.Name, p.By, from))
}

// apply replaces a value in its service. That it was begun is on record before anything goes out, and what came of it
// with the change itself; or, while nobody can tell, that nobody can. Each stands there in its order, whenever the person has left.
func (c *Counter) apply(ctx context.Context, p wire.SecretRotate, from map[string]any) (wire.SecretInfo, error) {
	few, begun := c.d.Vault.Sparing(ctx, p.Name), c.noting("secret.rotation_started", p.Name, p.By, from)
	return c.d.Vault.Rotate(ctx, c.d.Applier, vault.Rotation{
		Name: p.Name, By: who(p.By), For: "rotation", Ended: c.ended(p.By), Unclear: c.noting("secret.rotation_unclear", p.Name, p.By, from),
		Begun: func(tx *sql.Tx) error {
			if err := few(tx); err != nil {
				return err
			}
			return begun(tx)
		},
	})
}

// ended puts on record what came of a rotation.
func (c *Counter) ended(by wire.DecidedBy) vault.Ended {
	return func(tx *sql.Tx, name string, version int, took bool) error {
		kind := "secret.not_rotated"
		if took {
			kind = "secret.rotated"
		}
		return c.note(tx, kind, name, by, map[string]any{"version": version})
	}
}

// Ended puts on record what came of a rotation that nobody at the counter waits for: an agent's, or one that was left open.
func (c *Counter) Ended(tx *sql.Tx, name string, version int, took bool) error {
	by := wire.DecidedBy{Name: "agentd", Role: "agentd", Channel: "agentd", Time: c.d.Now().UTC()}
	return c.ended(by)(tx, name, version, took)
}

// Settle ends rotations that were interrupted, or whose services did not answer. It gives the secrets of which nobody can
// tell yet.
func (c *Counter) Settle(ctx context.Context) (unclear []string, err error) {
	if c.d.Applier == nil {
		return nil, nil
	}
	return c.d.Vault.SettleAll(ctx, c.d.Applier, c.Ended)
}

// rollback makes a former version current.
func (c *Counter) rollback(ctx context.Context, p wire.SecretRollback) (wire.SecretInfo, error) {
	return c.d.Vault.Rollback(ctx, p.Name, p.Version, who(p.By),
		c.d.Vault.Sparing(ctx, p.Name), c.noting("secret.rolled_back", p.Name, p.By, map[string]any{"to_version": p.Version}))
}

// bind says where a value may be used: a change of power, so it is signed.
func (c *Counter) bind(ctx context.Context, p wire.SecretBind) (wire.SecretInfo, error) {
	body, err := wire.SecretBindBody(p)
	if err != nil {
		return wire.SecretInfo{}, fmt.Errorf("bind: %w", err)
	}
	if _, err := c.d.Vault.Info(ctx, p.Name); err != nil {
		return wire.SecretInfo{}, err
	}
	return c.d.Vault.Bind(ctx, p.Name, p.Bindings, p.BaseHash, who(p.By), func(tx *sql.Tx) error {
		by, err := c.signed(context.WithoutCancel(ctx), tx, wire.ChangeSecretBind, body, p.Signature)
		if err != nil {
			return err
		}
		return c.note(tx, "secret.bound", p.Name, p.By, map[string]any{"key_id": by, "bindings": p.Bindings})
	})
}

// remove takes a value out of use, signed for: nobody gets it back. While its service is being given another, it stays: which of
// the two holds there is not known yet.
func (c *Counter) remove(ctx context.Context, p wire.SecretDelete) (wire.SecretDeleted, error) {
	body, err := wire.SecretDeleteBody(p)
	if err != nil {
		return wire.SecretDeleted{}, fmt.Errorf("delete: %w", err)
	}
	was, err := c.d.Vault.Info(ctx, p.Name)
	if err != nil {
		return wire.SecretDeleted{}, err
	}
	if slices.ContainsFunc(was.Versions, func(v wire.SecretVersion) bool { return v.State == "staged" }) {
		return wire.SecretDeleted{}, vault.ErrBusy
	}
	err = c.d.Vault.Remove(ctx, p.Name, who(p.By), func(tx *sql.Tx) error {
		by, err := c.signed(context.WithoutCancel(ctx), tx, wire.ChangeSecretDelete, body, p.Signature)
		if err != nil {
			return err
		}
		return c.note(tx, "secret.deleted", p.Name, p.By, map[string]any{"key_id": by})
	})
	return wire.SecretDeleted{Name: p.Name}, err
}
