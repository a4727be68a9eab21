package gate

import (
	"context"
	"errors"
	"sync/atomic"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// callSecrets is what a permit knows of secrets: the leases of its call, while it runs.
type callSecrets struct {
	from    Leases
	leases  []Lease
	ended   atomic.Bool
	wait    func(*wire.SecretRequest)
	root    string          // id of the root run
	closing <-chan struct{} // closed when the process is about to end
}

// Secrets gives the values that were leased for one call. It cannot outlive the call.
type Secrets struct{ grant *grant }

// ErrLease says that a value was asked for without a lease: for another place, before the permit was redeemed, or after the
// call had ended.
var ErrLease = errors.New("no lease for this secret in this place")

// Secrets is the way from the references in the arguments to values.
func (p Permit) Secrets() Secrets { return Secrets(p) }

// Value gives the value that was leased for exactly this use.
func (s Secrets) Value(ctx context.Context, u Use) (secret.Value, error) {
	g := s.grant
	if g == nil || g.secrets == nil || !g.used.Load() || g.secrets.ended.Load() {
		return secret.Value{}, ErrLease
	}
	u.Tool = g.tool
	for _, l := range g.secrets.leases {
		if l.Use == u {
			return g.secrets.from.Value(ctx, g.callID, l)
		}
	}
	return secret.Value{}, ErrLease
}

// Expand replaces the references in a text with their values. u describes the place of the text; its name does not matter. A
// text without references comes back unchanged.
func (s Secrets) Expand(ctx context.Context, text string, u Use) (secret.Value, error) {
	var failed error
	out := refForm.ReplaceAllStringFunc(text, func(ref string) string {
		u.Name = refForm.FindStringSubmatch(ref)[1]
		v, err := s.Value(ctx, u)
		if err != nil {
			failed = err
		}
		return v.Reveal()
	})
	if failed != nil {
		return secret.Value{}, failed
	}
	return secret.New(out), nil
}

// RootRunID is the run of the person's message that this call serves.
func (p Permit) RootRunID() string {
	if p.grant == nil || p.grant.secrets == nil {
		return ""
	}
	return p.grant.secrets.root
}

// AwaitSecret says that the call waits until a person gives a value: the run counts as parked and gives up its place in the
// lane. Wait with the returned context, which also ends, with ErrClosing as its cause, when the process has to end. Call the
// returned function when the wait is over.
func (p Permit) AwaitSecret(ctx context.Context, r wire.SecretRequest) (context.Context, func()) {
	g := p.grant
	if g == nil || g.secrets == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-g.secrets.closing:
			cancel(ErrClosing)
		case <-ctx.Done():
		}
	}()
	g.secrets.wait(&r)
	return ctx, func() {
		cancel(nil)
		g.secrets.wait(nil)
	}
}

// newCallSecrets gives the leases of the call to its permit.
func (p *pipeline) newCallSecrets() *callSecrets {
	return &callSecrets{from: p.deps.Leases, leases: p.leases, wait: p.notifyAwaitingSecret, root: p.call.RootRunID, closing: p.closing}
}

// notifyAwaitingSecret tells listeners that a call waits for a secret, or, with nil, that it no longer does.
func (p *pipeline) notifyAwaitingSecret(r *wire.SecretRequest) {
	data := p.record.toolData()
	if r != nil {
		data.State, data.Summary, data.Secret = wire.ToolAwaitingSecret, r.Prompt, r
	}
	p.onParked(r != nil)
	p.notifyTool(p.call.RootRunID, p.call.SessionID, data)
}
