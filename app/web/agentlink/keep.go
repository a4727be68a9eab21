package agentlink

import (
	"context"
	"errors"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// keepTime is how long one write of keep may take.
const keepTime = 10 * time.Second

// keep writes what may be late: heartbeats, and what can go from the outbox.
func (c *conn) keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b := <-c.beats:
			c.store(ctx, b)
		case <-c.trim:
			c.forget(ctx)
		}
	}
}

// store keeps a heartbeat. One that cannot be kept is followed by the next.
func (c *conn) store(ctx context.Context, b wire.Heartbeat) {
	call, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	err := c.h.d.Servers.Heartbeat(call, c.peer.ID, b)
	if errors.Is(err, server.ErrRevoked) {
		go c.end(errRevoked) // the hub that cut it off was killed before it could say so; taking leave waits for the other side
		return
	}
	if err != nil && ctx.Err() == nil {
		c.h.d.Log.WarnContext(ctx, "heartbeat not kept", "server_id", c.peer.ID, "error", err)
	}
}

// forget takes out of the outbox what the server has applied. When it cannot, nothing is lost: the server drops what
// comes twice.
func (c *conn) forget(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	if err := c.h.d.Links.Acked(call, c.peer.ID, c.epoch, c.acked.Load()); err != nil && ctx.Err() == nil {
		c.h.d.Log.WarnContext(ctx, "outbox not trimmed", "server_id", c.peer.ID, "error", err)
	}
}
