package agentd

import (
	"context"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/report"
	"gatehouse/agentd/wire"
)

// The meters of a server, by the names under which it is kept how far they were reported.
const (
	ownMeter   = "own"   // what agentd asks without the proxy: the rehearsal
	proxyMeter = "proxy" // what goes through the model proxy
)

// openMeter opens agentd's own meter. The rehearsal is metered by it; the model proxy has one of its own.
func (d *Daemon) openMeter(ctx context.Context) (err error) {
	d.meter, err = meter.Open(ctx, d.db, "", d.now)
	return err
}

// openReports makes ready what tells the hub of both meters.
func (d *Daemon) openReports(context.Context) error {
	sources := map[string]report.Source{ownMeter: d.meter}
	if d.way != nil {
		sources[proxyMeter] = d.way
	}
	d.reports = report.New(report.Deps{DB: d.db, Outbox: d.outbox, Sources: sources, Now: d.now, Log: d.log})
	return nil
}

// usedBy is what both meters counted for a root run.
func (d *Daemon) usedBy(ctx context.Context, run string) ([]wire.RunUse, error) {
	all, err := d.meter.OfRun(ctx, run)
	if err != nil || d.way == nil {
		return all, err
	}
	more, err := d.way.OfRun(ctx, run)
	return append(all, more...), err
}

// counted is the rehearsal with a meter: what it says that it used is counted, and charged to nobody.
type counted struct {
	llm.Provider
	d *Daemon
}

// Stream asks the rehearsal. Nobody waits for what is put on record afterwards.
func (c counted) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	reply, err := c.Provider.Stream(ctx, o, text)
	if err != nil {
		return reply, err
	}
	call := meter.Call{Agent: o.Agent(), Parent: o.Parent(), Run: o.Run(), Model: c.Name(), Profile: c.Name(), Key: wire.KeyLocal}
	c.d.counting.Go(func() {
		used := meter.Usage{Input: reply.Usage.Input, Output: reply.Usage.Output}
		if err := c.d.meter.Add(ctx, call, used); err != nil {
			c.d.log.ErrorContext(ctx, "usage of the rehearsal not kept", "agent", call.Agent, "error", err)
		}
	})
	return reply, nil
}

// underCount are answers that are being put on record. New ones may come until it is closed.
type underCount struct {
	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// Go runs fn, unless the meter is closed already.
func (u *underCount) Go(fn func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closed {
		u.all.Go(fn)
	}
}

// close waits for what is being put on record and lets nothing more begin.
func (u *underCount) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.all.Wait()
}
