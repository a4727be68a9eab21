package agentd

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"gatehouse/agentd/hook"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// hookBudget is how many bytes of a delivery an agent reads.
const hookBudget = 16 << 10

// openHooks makes ready what takes deliveries from outside.
func (d *Daemon) openHooks(context.Context) error {
	d.hooks = hook.New(hook.Deps{
		DB: d.db, Receipts: d.receipts, Runs: hookRuns{d.runtime}, Signed: d.keys,
		Keys: senderKeys{d, wire.MethodHookChange, "hook"}, Config: d.config,
		Now: d.now, Log: d.log,
		Wrap: func(source, sender, id, text string) (string, []string) {
			b := ingress.Wrap(source, sender, id, text, hookBudget)
			return b.Text, b.Patterns
		},
		HasAgent: d.hasAgent, Broken: d.brokenAgent, Paused: d.pausedBy,
	})
	return nil
}

// hookRuns begins the runs of hooks.
type hookRuns struct{ rt *runtime.Runtime }

// Begin implements hook.Runs.
func (h hookRuns) Begin(tx *sql.Tx, s hook.Start) error {
	return h.rt.AcceptScheduled(tx, runtime.Scheduled{
		ChatMessage: wire.ChatMessage{RunID: s.RunID, SessionID: s.Session, Agent: s.Agent, Text: s.Text, Time: s.At},
		Title:       s.Title, Level: s.Level, Taint: s.Taint, Fresh: s.Fresh, Hook: true,
	})
}

// Open implements hook.Runs.
func (h hookRuns) Open(tx *sql.Tx, session string) (int, error) { return h.rt.OpenIn(tx, session) }

// senderKeys keeps in the vault the keys by which programs outside and this server show each other who they are.
type senderKeys struct {
	d      *Daemon
	method wire.Method // for which browsers seal them
	what   string      // that has them
}

// Unseal implements hook.Keys and webhook.Keys.
func (k senderKeys) Unseal(ctx context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	return k.d.counter.Unseal(ctx, k.method, name, nonce, box)
}

// Keep implements hook.Keys and webhook.Keys.
func (k senderKeys) Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(tx *sql.Tx) error) error {
	_, err := k.d.vault.Put(ctx, vault.New{
		Name: name, Kind: vault.KindToken, Value: v, Source: vault.FromOwner, By: strings.TrimSpace(by.Role + " " + by.Name), For: k.what,
	}, k.d.vault.Sparing(ctx, name), also)
	if err != nil {
		return k.d.counter.Shown(k.method, err)
	}
	return nil
}

// Key implements hook.Keys and webhook.Keys. One that is gone is empty.
func (k senderKeys) Key(ctx context.Context, name string) (secret.Value, error) {
	v, err := k.d.vault.Own(ctx, name, "signatures of a "+k.what)
	if errors.Is(err, vault.ErrUnknown) {
		return secret.Value{}, nil
	}
	return v, err
}

// Drop implements hook.Keys and webhook.Keys.
func (k senderKeys) Drop(ctx context.Context, name string, by wire.DecidedBy, also func(tx *sql.Tx) error) error {
	err := k.d.vault.Remove(ctx, name, strings.TrimSpace(by.Role+" "+by.Name), also)
	if errors.Is(err, vault.ErrUnknown) {
		return nil
	}
	return err
}
