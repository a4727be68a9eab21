package agentd

import (
	"context"
	"crypto/ed25519"
	"errors"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
)

// join registers this server when it is not yet known, and keeps the link open from then on.
func (d *Daemon) join(ctx context.Context) error {
	id, err := link.Register(ctx, link.Registration{
		Hub: d.cfg.Hub, StateDir: d.cfg.State, TokenFile: d.cfg.TokenFile, Version: d.cfg.Version, Log: d.log,
	})
	if err != nil {
		return err
	}
	d.identity.Store(&id)
	d.receipts.Anchor(id.ServerID, id.Key, d.outbox, d.log)
	if err := d.live.Adopt(ctx, id.Config); err != nil {
		return err
	}
	if err := d.keys.Announce(ctx); err != nil {
		return err
	}
	keys := link.OpenKeys(d.cfg.State, id)
	d.linkKeys.Store(keys)
	if err := d.commands.Pin(ctx, id.Command, "registration"); err != nil {
		return err
	}
	c := link.New(link.Options{
		Identity: id, Keys: keys, Welcomed: d.welcomed, Hub: d.cfg.Hub, Version: d.cfg.Version, DB: d.db, Outbox: d.outbox,
		Handler:   d.handler,
		Heartbeat: d.heartbeat, Config: func() int64 { return d.live.State().Version() }, Now: d.now, Log: d.log,
	})
	d.client.Store(c)
	if err := c.Run(ctx); !errors.Is(err, link.ErrRevoked) {
		return err
	}
	d.log.Error("the hub has cut this server off; agents go on with what they have")
	return nil
}

// welcomed pins the hub's command key on a server that registered before there was one.
func (d *Daemon) welcomed(ctx context.Context, w wire.Welcome) {
	if err := d.commands.Pin(ctx, w.CommandKey, "link"); err != nil {
		d.log.ErrorContext(ctx, "command key of the hub not pinned", "error", err)
	}
}

// serverID names this server; empty until it is registered.
func (d *Daemon) serverID() string {
	if id := d.identity.Load(); id != nil {
		return id.ServerID
	}
	return ""
}

// origin is the hub's public origin, which passkeys are bound to.
func (d *Daemon) origin() string {
	if id := d.identity.Load(); id != nil {
		return id.Hub
	}
	return ""
}

// identityKey signs for this server; nil until it is registered.
func (d *Daemon) identityKey() ed25519.PrivateKey {
	if id := d.identity.Load(); id != nil {
		return id.Key
	}
	return nil
}

// Emit sends an event of a run to whoever watches at the hub. Nobody waits for it: readers notice a gap and ask.
func (d *Daemon) Emit(e wire.RunEvent) {
	if e.Event == wire.EventFinal {
		d.reports.Used()
	}
	c := d.client.Load()
	if c == nil {
		return
	}
	if e.Event == wire.EventDelta {
		c.Send(wire.TypeChatDelta, e)
		return
	}
	c.Send(wire.TypeChatEvent, e)
}
