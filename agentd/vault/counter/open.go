package counter

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const (
	nonceLife = time.Minute
	maxOpen   = 256 // acts that are opened and not done
)

// act is what a nonce is good for.
type act struct {
	method wire.Method
	name   string
	until  time.Time
}

// nonces are the acts that were opened. They live in memory: after a restart a page opens anew.
type nonces struct {
	now func() time.Time

	mu   sync.Mutex
	open map[string]act
}

var errBusy = &wire.RPCError{Code: "unavailable", Text: "Too many people are doing this at once. Nothing was done. Try again in a minute."}

// give makes a nonce.
func (n *nonces) give(m wire.Method, name string) (string, time.Time, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	for k, a := range n.open {
		if !now.Before(a.until) {
			delete(n.open, k)
		}
	}
	if len(n.open) >= maxOpen {
		return "", time.Time{}, errBusy
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails: it ends the program instead
	nonce, until := base64.RawURLEncoding.EncodeToString(b[:]), now.Add(nonceLife).UTC()
	n.open[nonce] = act{m, name, until}
	return nonce, until, nil
}

var errNonce = &wire.RPCError{Code: "conflict", Text: "This page is too old or was used before. Nothing was done. Open it again."}

// take uses a nonce up, whatever comes of it.
func (n *nonces) take(nonce string, m wire.Method, name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	a, ok := n.open[nonce]
	delete(n.open, nonce)
	if !ok || a.method != m || a.name != name || !n.now().Before(a.until) {
		return errNonce
	}
	return nil
}

// open begins a sealed act. For no act it tells the key alone.
func (c *Counter) open(ctx context.Context, p wire.SecretOpenParams) (wire.SecretOpening, error) {
	switch p.Method {
	case "":
		return c.key(ctx)
	case wire.MethodSecretsProvide, wire.MethodSecretsRotate, wire.MethodSecretsReveal, wire.MethodHookChange,
		wire.MethodChannelChange, wire.MethodScheduleWebhook:
	default:
		return wire.SecretOpening{}, &wire.RPCError{Code: "bad_request", Text: "This was not encrypted for your server. Nothing was done."}
	}
	if err := vault.CheckName(p.Name); err != nil {
		return wire.SecretOpening{}, err
	}
	o, err := c.key(ctx)
	if err != nil {
		return wire.SecretOpening{}, err
	}
	o.Nonce, o.ExpiresAt, err = c.nonces.give(p.Method, p.Name)
	if err != nil {
		return wire.SecretOpening{}, err
	}
	return o, nil
}

// key is the key that values are sealed for, vouched for by the server.
func (c *Counter) key(ctx context.Context) (wire.SecretOpening, error) {
	id := c.d.Identity()
	if id == nil {
		return wire.SecretOpening{}, &wire.RPCError{Code: "unavailable", Text: "Your server is still being set up. Try again in a minute."}
	}
	key, made, err := c.d.Vault.BoxKey(ctx)
	if err != nil {
		return wire.SecretOpening{}, err
	}
	keyID, fingerprint := wire.SecretKeyID(key.PublicKey())
	b64 := base64.RawURLEncoding.EncodeToString
	return wire.SecretOpening{
		ServerID: c.d.ServerID(), Key: b64(key.PublicKey().Bytes()), KeyID: keyID, Fingerprint: fingerprint, MadeAt: made,
		IdentityKey: b64(id.Public().(ed25519.PublicKey)), Signature: b64(ed25519.Sign(id, wire.SecretKeyText(c.d.ServerID(), keyID, made))),
	}, nil
}

// Unseal opens a box that was made for an act of another part of this server. The nonce is gone afterwards.
func (c *Counter) Unseal(ctx context.Context, m wire.Method, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	v, err := c.unseal(ctx, m, name, nonce, box)
	if err != nil {
		return secret.Value{}, c.shown(m, err)
	}
	return v, nil
}

// Shown gives an error of the vault the words that a person may read.
func (c *Counter) Shown(m wire.Method, err error) error { return c.shown(m, err) }

// unseal opens a box that was made for one act. The nonce is gone afterwards.
func (c *Counter) unseal(ctx context.Context, m wire.Method, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	if err := c.nonces.take(nonce, m, name); err != nil {
		return secret.Value{}, err
	}
	key, _, err := c.d.Vault.BoxKey(ctx)
	if err != nil {
		return secret.Value{}, err
	}
	plain, err := wire.OpenSecret(key, wire.SecretPurpose{Method: m, ServerID: c.d.ServerID(), Name: name, Nonce: nonce}, box)
	return secret.New(string(plain)), err
}
