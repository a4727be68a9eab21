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
)

// stopWithin is how long a stopping agentd lets tools finish. Together with the rest it stays below 20 s.
const stopWithin = 14 * time.Second

// Hard says whether err needs a person: starting again cannot help.
func Hard(err error) bool {
	for _, hard := range []error{link.ErrNotRegistered, vault.ErrKey, vault.ErrModes} {
		if errors.Is(err, hard) {
			return true
		}
	}
	var broken *receipt.Broken
	var refused *link.RefusedError
	return store.Hard(err) || errors.As(err, &broken) || errors.As(err, &refused)
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
	run("hub's command", d.awaitRestart)
	run("receipts", d.checkLog)
	run("checkpoints", func(ctx context.Context) error { d.receipts.Run(ctx); return nil })
	run("vault", d.watchVault)
	run("rotations", d.endRotations)
	run("external vault", d.follow)
	run("model proxy", d.keepProxy)
	run("way to models", d.keepWay)
	run("pauses", d.keepPauses)
	run("rules", d.watchRules)
	run("approvals", func(ctx context.Context) error { d.gate.Run(ctx); return nil })
	run("operator's calls", d.keepEnding)
	run("support windows", d.support.Run)
	run("usage", d.reports.Run)
	run("schedules", d.schedules.Run)
	run("monitors", d.schedules.Watch)
	run("results to addresses", d.webhooks.Run)
	run("memory", d.memory.Run)
	run("meanings", d.meanings.Run)
	run("hooks", d.hooks.Run)
	run("rules on events", d.rules.Run)
	run("channels", d.channels.Run)
	run("check of memory", d.checkMemory)
	if err := d.runtime.Start(ctx, d.gate); err != nil {
		stop(fmt.Errorf("runtime: %w", err))
		return
	}
	d.log.Info("agentd is ready", "state", d.cfg.State, "data", d.cfg.Data, "model", d.model.Name(),
		"ready_ms", d.now().Sub(d.started).Milliseconds())
	if err := procmem.Settle(); err != nil {
		d.log.Warn("memory of the start kept", "error", err)
	}
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
	if ctx.Err() != nil {
		d.log.Warn("agentd stopped late", "limit_ms", stopWithin.Milliseconds())
	}
	last, done := context.WithTimeout(context.Background(), 3*time.Second)
	defer done()
	if e := d.receipts.Checkpoint(last); e != nil && !errors.Is(e, receipt.ErrNoKey) {
		err = errors.Join(err, e)
	}
	return err
}

// watchRules notices when somebody changes the file of the rules.
func (d *Daemon) watchRules(ctx context.Context) error {
	d.live.Watch(ctx, func(err error) { d.log.WarnContext(ctx, "rules not looked at", "error", err) })
	return nil
}
