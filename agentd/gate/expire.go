package gate

import (
	"context"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// sweepEvery is how often the gate looks for approvals whose time ran out. Each decision is checked by itself as well.
const sweepEvery = 15 * time.Second

// Run expires approvals and deletes old outputs until ctx ends.
func (g *Gate) Run(ctx context.Context) {
	tick, hour := time.NewTicker(sweepEvery), time.NewTicker(purgeEvery)
	defer tick.Stop()
	defer hour.Stop()
	for {
		select {
		case <-tick.C:
		case <-hour.C:
			g.purgeOutputs(ctx)
		case <-ctx.Done():
			return
		}
		if err := g.expireDue(ctx); err != nil && ctx.Err() == nil {
			g.log.ErrorContext(ctx, "approvals not swept", "error", err)
		}
	}
}

// purgeOutputs deletes old outputs. A file that cannot be deleted is logged and stops nothing.
func (g *Gate) purgeOutputs(ctx context.Context) {
	if err := g.outputs.Purge(g.clock.now()); err != nil {
		g.log.ErrorContext(ctx, "old outputs not deleted", "error", err)
	}
}

// expireDue ends every pending approval whose time has run out, and every window whose basis is gone. It also keeps the time
// that has passed: a machine whose clock is set back while it is off must not give windows and approvals their time again.
func (g *Gate) expireDue(ctx context.Context) error {
	if now := g.clock.now(); g.clock.due(now) {
		if err := g.write(ctx, func(t txn) error { return g.clock.keep(t.ctx, t.tx, now) }); err != nil {
			return err
		}
	}
	if err := g.closeRevokedWindows(ctx, g.config()); err != nil {
		return err
	}
	due, err := approvalsWhere(ctx, g.db.Read(), "state = 'pending' AND expires_at <= ?", g.clock.now().Unix())
	if err != nil {
		return err
	}
	for _, a := range due {
		failpoint.Hit("expiring")
		if err := g.write(ctx, func(t txn) error { return t.expireApproval(a.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// expireApproval ends an approval that nobody answered in time, and its call. It leaves one that was answered meanwhile.
func (t txn) expireApproval(id string) error {
	a, err := loadApproval(t.ctx, t.tx, id)
	if err != nil || a == nil || a.State != wire.ApprovalPending {
		return err
	}
	a.State, a.DecidedBy = wire.ApprovalExpired, t.decidedByAgentd()
	if err := t.clock.keep(t.ctx, t.tx, t.clock.now()); err != nil {
		return err
	}
	if err := t.updateApproval(a, "nobody answered in time"); err != nil {
		return err
	}
	body := map[string]any{"approval_id": a.ID, "expires_at": a.ExpiresAt}
	return t.endCall(a, "call.expired", body, "Nobody answered in time, so this was not done.")
}
