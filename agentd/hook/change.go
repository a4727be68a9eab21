package hook

import (
	"cmp"
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Refusals that people read.
var (
	errAct      = badRequest("This is nothing that can be done with a hook. Nothing was changed.")
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errChanged = conflict("The hook was changed meanwhile. Nothing was saved; look at it again.")
	errHash    = badRequest("The secret is not the one that was signed for. Nothing was saved.")
	errShort   = badRequest(fmt.Sprintf("A secret has at least %d characters. Nothing was saved.", wire.MinHookSecret))
	errName    = badRequest("The name of a hook is part of its address: small letters, digits and hyphens, 40 at most. Nothing was saved.")
	errTask    = badRequest(fmt.Sprintf("Say what is to be done, in at most %d characters. Nothing was saved.", wire.MaxHookTask))
	errRate    = badRequest(fmt.Sprintf("A hook takes 1 to %d deliveries a minute. Nothing was saved.", wire.MaxHookPerMinute))
	errProof   = badRequest("Choose how the sender shows who it is. Nothing was saved.")
	errNamesIt = badRequest("With this hook the sender names the agent, so it has none of its own. Nothing was saved.")
)

// change carries out an act of a person.
func (h *Hooks) change(ctx context.Context, c wire.HookChange) (wire.Hook, error) {
	a := c.Act
	if uuid.Validate(a.ID) != nil || a.Do == wire.HookDoMake && a.Hook != "" {
		return wire.Hook{}, errAct
	}
	id := cmp.Or(a.Hook, a.ID)
	if r, err := h.byID(ctx, id); err == nil && r.LastAct == a.ID { // a repeat
		if err := h.dropKey(ctx, r, c.By); err != nil {
			return wire.Hook{}, err
		}
		return h.view(ctx, r)
	}
	if a.Do.Signed() && c.Signature == nil {
		return wire.Hook{}, errUnsigned
	}
	r, key, err := h.brought(ctx, c)
	if err != nil {
		return wire.Hook{}, err
	}
	act := func(tx *sql.Tx) error { return h.act(context.WithoutCancel(ctx), txn{tx, h.d.DB}, c) }
	if key.Empty() {
		err = h.d.DB.Write(ctx, act)
	} else {
		err = h.d.Keys.Keep(ctx, wire.HookSecretName(r.Name), key, c.By, act)
	}
	if err != nil {
		return wire.Hook{}, err
	}
	if r, err = h.byID(ctx, id); err == nil {
		err = h.dropKey(ctx, r, c.By)
	}
	if err != nil {
		return wire.Hook{}, err
	}
	return h.get(ctx, wire.HookParams{ID: id})
}

var errNamed = errors.New("a hook that was not deleted has this name")

// dropKey takes the key of a deleted hook out of the vault, unless it is that of another hook that has its name now. It comes after the
// deletion, which must not wait for a vault that is in trouble: what fails here is done at a repeat, or by Tidy.
func (h *Hooks) dropKey(ctx context.Context, r row, by wire.DecidedBy) error {
	if r.State != wire.HookDeleted || r.Proof == wire.HookToken {
		return nil
	}
	err := h.d.Keys.Drop(ctx, wire.HookSecretName(r.Name), by, func(tx *sql.Tx) error {
		var named bool
		const query = "SELECT EXISTS (SELECT 1 FROM hooks WHERE name = ? AND state <> 'deleted' AND proof <> 'token')"
		if err := h.d.DB.QueryRow(tx, query, r.Name).Scan(&named); err != nil {
			return fmt.Errorf("read hooks: %w", err)
		}
		if named {
			return errNamed
		}
		return nil
	})
	if errors.Is(err, errNamed) {
		return nil
	}
	return err
}

// dropKeys takes the keys of all deleted hooks out of the vault that are still there.
func (h *Hooks) dropKeys(ctx context.Context) error {
	all, err := h.where(ctx, "state = 'deleted' AND proof <> 'token'")
	for _, r := range all {
		err = errors.Join(err, h.dropKey(ctx, r, wire.DecidedBy{Name: "agentd"}))
	}
	return err
}

// brought gives the hook that an act is about, and the key that came with it for a sender that signs: the one that the person has
// signed for. Of a bearer token only the hash comes.
func (h *Hooks) brought(ctx context.Context, c wire.HookChange) (r row, key secret.Value, err error) {
	a := c.Act
	r = row{Name: a.Name, Proof: a.Proof}
	if a.Do != wire.HookDoMake {
		if r, err = h.byID(ctx, a.Hook); err != nil {
			return r, key, err
		}
	}
	if a.Do != wire.HookDoMake && a.Do != wire.HookDoRenew {
		return r, key, nil
	}
	if raw, err := hex.DecodeString(a.SecretHash); err != nil || len(raw) != 32 || a.SecretHash != strings.ToLower(a.SecretHash) {
		return r, key, errHash
	}
	if r.Proof == wire.HookToken {
		return r, key, nil
	}
	if !wire.HookNamed(r.Name) {
		return r, key, errName
	}
	if key, err = h.d.Keys.Unseal(ctx, wire.HookSecretName(r.Name), c.Nonce, c.Box); err != nil {
		return r, key, err
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(proof.Hash([]byte(key.Reveal()))), []byte(a.SecretHash)) != 1:
		return r, secret.Value{}, errHash
	case utf8.RuneCountInString(key.Reveal()) < wire.MinHookSecret:
		return r, secret.Value{}, errShort
	}
	return r, key, nil
}

// act carries out an act inside a transaction.
func (h *Hooks) act(ctx context.Context, t txn, c wire.HookChange) error {
	r, err := find(t, cmp.Or(c.Act.Hook, c.Act.ID))
	switch {
	case err == nil && r.LastAct == c.Act.ID:
		return nil // a repeat
	case errors.Is(err, errNone) && c.Act.Do == wire.HookDoMake:
	case err != nil:
		return err
	case c.Act.Do == wire.HookDoMake || r.State == wire.HookDeleted:
		return errNone
	case c.Act.Do.Signed() && c.Act.Version != r.Version:
		return errChanged
	}
	key := ""
	if c.Signature != nil {
		if key, err = h.d.Signed.Change(ctx, t.tx, wire.ChangeHook, c.Act, c.Signature); err != nil {
			return err
		}
	}
	if err := h.apply(t, &r, c); err != nil {
		return err
	}
	r.LastAct, r.Updated = c.Act.ID, h.now()
	r.Version++
	if err := save(t, r); err != nil {
		return err
	}
	return h.receipt(t, "hook.changed", "", map[string]any{
		"hook": r.ID, "name": r.Name, "do": c.Act.Do, "agent": r.Agent, "proof": r.Proof, "state": r.State, "level": r.Level,
		"per_minute": r.PerMinute, "by": c.By, "key_id": key,
	})
}

// apply changes the row.
func (h *Hooks) apply(t txn, r *row, c wire.HookChange) error {
	a := c.Act
	switch a.Do {
	case wire.HookDoMake:
		if err := h.room(t, a.Name); err != nil {
			return err
		}
		*r = row{
			ID: a.ID, Name: a.Name, Proof: a.Proof, State: wire.HookActive, SecretHash: a.SecretHash, Session: a.ID, By: c.By,
			Created: h.now(), Renewed: h.now(),
		}
		return h.set(r, a)
	case wire.HookDoEdit:
		return h.set(r, a)
	case wire.HookDoRenew:
		r.SecretHash, r.Renewed = a.SecretHash, h.now()
	case wire.HookDoResume:
		r.State = wire.HookActive
	case wire.HookDoPause:
		r.State = wire.HookPaused
	case wire.HookDoDelete:
		r.State = wire.HookDeleted
	default:
		return errAct
	}
	return nil
}

// set checks and sets what a person may choose. The level is that of the agent as the person signs.
func (h *Hooks) set(r *row, a wire.HookAct) error {
	r.Agent, r.Task, r.PerMinute = a.Agent, redact.Text(strings.TrimSpace(a.Task)), a.PerMinute
	switch {
	case !wire.HookNamed(r.Name):
		return errName
	case r.Proof != wire.HookToken && r.Proof != wire.HookSigned && r.Proof != wire.HookBody:
		return errProof
	case r.Name == wire.HookAgent && r.Agent != "":
		return errNamesIt
	case r.Name != wire.HookAgent && !h.d.HasAgent(r.Agent):
		return badRequest(fmt.Sprintf("This server has no agent %q. Nothing was saved.", r.Agent))
	case r.Task == "" || !utf8.ValidString(r.Task) || utf8.RuneCountInString(r.Task) > wire.MaxHookTask || r.Task[0] == '/':
		return errTask
	case r.PerMinute < 1 || r.PerMinute > wire.MaxHookPerMinute:
		return errRate
	}
	cfg := h.d.Config()
	r.Level = cmp.Or(cfg.Agents[r.Agent].Level, cfg.DefaultLevel)
	return nil
}

// room refuses a second hook of a name, and one beyond the limit.
func (h *Hooks) room(t txn, name string) error {
	var n, same int
	err := t.db.QueryRow(t.tx, "SELECT count(*), coalesce(sum(name = ?), 0) FROM hooks WHERE state <> 'deleted'", name).Scan(&n, &same)
	switch {
	case err != nil:
		return fmt.Errorf("read hooks: %w", err)
	case same > 0:
		return conflict(fmt.Sprintf("There is a hook %q already. Choose another name. Nothing was saved.", name))
	case n >= wire.MaxHooks:
		return conflict(fmt.Sprintf("There are %d hooks already, which is the most. Delete one first. Nothing was saved.", n))
	}
	return nil
}
