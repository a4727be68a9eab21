package gate

import (
	"context"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// sweepEvery is how often the gate looks for approvals whose time ran out. A decision is checked on its own.
const sweepEvery = 15 * time.Second

// Run lets approvals expire, and long results go that were kept for long, until ctx ends.
func (g *Gate) Run(ctx context.Context) {
	tick, hour := time.NewTicker(sweepEvery), time.NewTicker(purgeEvery)
	defer tick.Stop()
	defer hour.Stop()
	for {
		select {
		case <-tick.C:
		case <-hour.C:
			g.purge(ctx)
		case <-ctx.Done():
			return
		}
		if err := g.sweep(ctx); err != nil && ctx.Err() == nil {
			g.d.Log.ErrorContext(ctx, "approvals not swept", "error", err)
		}
	}
}

// purge lets go of old results. One that cannot be deleted holds up nothing.
func (g *Gate) purge(ctx context.Context) {
	if err := g.results.purge(g.clock.now()); err != nil {
		g.d.Log.ErrorContext(ctx, "old results not let go", "error", err)
	}
}

// sweep ends every pending approval whose time has run out, and windows whose grounds are gone. That time has passed is
// kept, too: a machine whose clock is set back while it is off must not give windows and approvals their time again.
func (g *Gate) sweep(ctx context.Context) error {
	if now := g.clock.now(); g.clock.due(now) {
		if err := g.write(ctx, func(ch change) error { return g.clock.keep(ch.ctx, ch.tx, now) }); err != nil {
			return err
		}
	}
	if err := g.endWindows(ctx, g.d.Rules.State()); err != nil {
		return err
	}
	due, err := questionsWhere(ctx, g.d.DB.Read(), "state = 'pending' AND expires_at <= ?", g.clock.now().Unix())
	if err != nil {
		return err
	}
	for _, a := range due {
		failpoint.Hit("expiring")
		if err := g.write(ctx, func(ch change) error { return ch.expire(a.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// expire ends an approval that nobody answered in time, and its call with it. One that was answered meanwhile stays.
func (ch change) expire(id string) error {
	a, err := loadQuestion(ch.ctx, ch.tx, id)
	if err != nil || a == nil || a.State != wire.ApprovalPending {
		return err
	}
	a.State, a.DecidedBy = wire.ApprovalExpired, ch.g.self()
	if err := ch.g.clock.keep(ch.ctx, ch.tx, ch.g.clock.now()); err != nil {
		return err
	}
	if err := ch.question(a, "nobody answered in time"); err != nil {
		return err
	}
	return ch.endCall(a, "call.expired", map[string]any{"approval_id": a.ID, "expires_at": a.ExpiresAt}, "Nobody answered in time, so this was not done.")
}
