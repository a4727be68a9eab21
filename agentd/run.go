package agentd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/procmem"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// stopWithin is how long a stopping agentd lets tools finish. Together with the rest it stays below 20 s.
const stopWithin = 14 * time.Second

// Hard says whether err needs a person: starting again cannot help.
func Hard(err error) bool {
	var broken *receipt.Broken
	var refused *link.RefusedError
	return store.Hard(err) || errors.Is(err, link.ErrNotRegistered) || errors.Is(err, vault.ErrKey) || errors.Is(err, vault.ErrModes) || errors.As(err, &broken) || errors.As(err, &refused)
}

// Run runs the server until ctx ends, which is the usual end and no error, or until it cannot go on.
func (d *Daemon) Run(ctx context.Context) error {
	m, err := d.serveMetrics(ctx)
	if err != nil {
		return errors.Join(err, d.release())
	}
	if err := d.writePID(m.addr); err != nil {
		return errors.Join(err, m.close(), d.release())
	}
	work, stop := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	d.start(work, stop, &all)
	<-work.Done()
	d.log.Info("agentd stops", "cause", context.Cause(work))
	err = d.stop(&all)
	if cause := context.Cause(work); ctx.Err() == nil {
		err = errors.Join(cause, err)
	}
	return errors.Join(err, m.close(), d.removePID(), d.release())
}

// start sets everything going. Whatever cannot go on ends the whole with its error.
func (d *Daemon) start(ctx context.Context, stop context.CancelCauseFunc, all *sync.WaitGroup) {
	run := func(what string, fn func(context.Context) error) {
		all.Go(func() {
			if err := fn(ctx); err != nil && ctx.Err() == nil {
				stop(fmt.Errorf("%s: %w", what, err))
			}
		})
	}
	run("registration", d.join)
	run("receipts", d.checkLog)
	run("checkpoints", func(ctx context.Context) error { d.receipts.Run(ctx); return nil })
	run("vault", d.watchVault)
	run("rotations", d.endRotations)
	run("external vault", d.follow)
	run("model proxy", d.keepProxy)
	run("way to models", d.keepWay)
	run("rules", func(ctx context.Context) error { d.live.Watch(ctx, d.warnRules); return nil })
	run("approvals", func(ctx context.Context) error { d.gate.Run(ctx); return nil })
	run("operator's calls", d.keepEnding)
	if err := d.runtime.Start(ctx, d.gate); err != nil {
		stop(fmt.Errorf("runtime: %w", err))
		return
	}
	d.log.Info("agentd is ready", "state", d.cfg.State, "data", d.cfg.Data, "model", d.model.Name(), "ready_ms", d.now().Sub(d.started).Milliseconds())
	if err := procmem.Settle(); err != nil {
		d.log.Warn("memory of the start kept", "error", err)
	}
}

// join registers this server when it is not yet known, and keeps the link open from then on.
func (d *Daemon) join(ctx context.Context) error {
	id, err := link.Register(ctx, link.Registration{Hub: d.cfg.Hub, StateDir: d.cfg.State, TokenFile: d.cfg.TokenFile, Version: d.cfg.Version, Log: d.log})
	if err != nil {
		return err
	}
	d.identity.Store(&id)
	d.receipts.Anchor(id.ServerID, id.Key, d.outbox, d.log)
	if err := d.live.Adopt(ctx, id.Config); err != nil {
		return err
	}
	c := link.New(link.Options{
		Identity: id, Hub: d.cfg.Hub, Version: d.cfg.Version, DB: d.db, Outbox: d.outbox, Handler: d.handler,
		Heartbeat: d.heartbeat, Config: func() int64 { return d.live.State().Version() }, Now: d.now, Log: d.log,
	})
	d.client.Store(c)
	if err := c.Run(ctx); !errors.Is(err, link.ErrRevoked) {
		return err
	}
	d.log.Error("the hub has cut this server off; agents go on with what they have")
	return nil
}

// stop ends the work in order: nothing new, tools may finish, runs are left where they stand, a last checkpoint.
func (d *Daemon) stop(all *sync.WaitGroup) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	var both sync.WaitGroup
	var err error
	both.Go(func() { d.gate.Close(ctx) })
	both.Go(func() { err = d.runtime.Close(ctx) })
	both.Wait()
	all.Wait()
	last, done := context.WithTimeout(context.Background(), 3*time.Second)
	defer done()
	if e := d.receipts.Checkpoint(last); e != nil && !errors.Is(e, receipt.ErrNoKey) {
		err = errors.Join(err, e)
	}
	return err
}

// told is the heartbeat's view of the parts that count.
func (d *Daemon) told(ctx context.Context, h *wire.Heartbeat) {
	h.ConfigVersion = d.live.State().Version()
	h.RunsActive, _ = d.runtime.Active()
	h.Model, h.Rehearsal = d.model.Name(), d.model.Rehearsal()
	n, err := d.gate.Pending(ctx)
	if err != nil {
		d.log.WarnContext(ctx, "pending approvals not counted", "error", err)
	}
	h.Pending = n
}
