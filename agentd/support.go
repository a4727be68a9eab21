package agentd

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/support"
	"gatehouse/agentd/wire"
)

// openSupport makes ready what staff of the operator may look at while the owner lets them.
func (d *Daemon) openSupport(context.Context) error {
	d.support = support.New(support.Deps{
		DB: d.db, Receipts: d.receipts, Outbox: d.outbox, Signed: d.keys, Containers: d.engine, ServerID: d.serverID, Now: d.now,
		Log: d.log,
		Ask: func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
			return d.handler.RPC(ctx, m, params)
		},
	})
	return nil
}
