package counter

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// Methods answers questions about secrets. Errors of type *wire.RPCError may be shown; no answer and no error holds a value
// in clear.
func (c *Counter) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question cannot be read.", Strict: true}
	all := rpc.Methods{
		wire.MethodSecretsOpen:     rpc.With(in, c.open),
		wire.MethodSecretsList:     rpc.Without(c.list),
		wire.MethodSecretsAsked:    rpc.Without(c.requests),
		wire.MethodSecretsAudit:    rpc.With(in, c.d.Vault.Audit),
		wire.MethodSecretsProvide:  rpc.With(in, c.provide),
		wire.MethodSecretsDecline:  rpc.With(in, c.decline),
		wire.MethodSecretsReveal:   rpc.With(in, c.reveal),
		wire.MethodSecretsGenerate: rpc.With(in, c.generate),
		wire.MethodSecretsRotate:   rpc.With(in, c.rotate),
		wire.MethodSecretsRollback: rpc.With(in, c.rollback),
		wire.MethodSecretsBind:     rpc.With(in, c.bind),
		wire.MethodSecretsDelete:   rpc.With(in, c.remove),
	}
	for m, h := range all {
		all[m] = c.showing(m, h)
	}
	return all
}

// showing turns the errors of h into ones that a person may read.
func (c *Counter) showing(m wire.Method, h rpc.Handler) rpc.Handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		out, err := h(ctx, params)
		if err != nil {
			return nil, c.shown(m, err)
		}
		return out, nil
	}
}

func (c *Counter) list(ctx context.Context) (wire.SecretsResult, error) {
	all, err := c.d.Vault.List(ctx)
	return wire.SecretsResult{Items: all}, err
}

func (c *Counter) requests(ctx context.Context) (wire.SecretRequestsResult, error) {
	all, err := c.d.Vault.Requests(ctx)
	return wire.SecretRequestsResult{Items: all}, err
}
