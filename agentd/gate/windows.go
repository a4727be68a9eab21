package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// openWindow is a window that has time left and was not closed, with what it was opened under.
type openWindow struct {
	wire.Window
	basis windowBasis
}

// windowsWhere reads the open windows that match a condition, the one that ends first on top.
func (g *Gate) windowsWhere(ctx context.Context, where string, args ...any) ([]openWindow, error) {
	rows, err := g.db.Read().QueryContext(ctx, `SELECT
		approval_id, agent, tool, tier, destination, tainted, opened_at, opened_by, until, key_id, level, unlocked, rules
		FROM gate_windows WHERE until > ? AND closed_at = 0 AND `+where+" ORDER BY until, approval_id",
		append([]any{g.clock.now().Unix()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read windows: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []openWindow
	for rows.Next() {
		var w openWindow
		var by string
		var opened, until int64
		err := rows.Scan(&w.ApprovalID, &w.Agent, &w.Tool, &w.Tier, &w.Destination, &w.Tainted, &opened, &by, &until,
			&w.basis.key, &w.basis.level, &w.basis.unlocked, &w.basis.rules)
		if err == nil && by != "" {
			err = json.Unmarshal([]byte(by), &w.By)
		}
		if err != nil {
			return nil, fmt.Errorf("read windows: %w", err)
		}
		w.OpenedAt, w.Until = time.Unix(opened, 0).UTC(), time.Unix(until, 0).UTC()
		all = append(all, w)
	}
	return all, rows.Err()
}

// splitByBasis splits windows into those whose basis holds under a configuration and those whose basis is gone.
func (g *Gate) splitByBasis(ctx context.Context, s config.State, all []openWindow) (open, gone []openWindow, err error) {
	for _, w := range all {
		stands, err := g.basisHolds(ctx, s, w.basis, w.Agent, w.Tool)
		switch {
		case err != nil:
			return nil, nil, err
		case stands:
			open = append(open, w)
		default:
			gone = append(gone, w)
		}
	}
	return open, gone, nil
}

// openWindowsFor gives the open windows of an agent and a tool, for everything it does or for this destination.
func (g *Gate) openWindowsFor(ctx context.Context, agent, tool, destination string) ([]openWindow, error) {
	all, err := g.windowsWhere(ctx, "agent = ? AND tool = ? AND destination IN ('', ?)", agent, tool, destination)
	if err != nil {
		return nil, err
	}
	open, _, err := g.splitByBasis(ctx, g.config(), all)
	return open, err
}

// decideWithWindows decides again with each open window until one lets the call through.
func decideWithWindows(in policy.Input, v policy.Verdict, open []openWindow) (policy.Verdict, *openWindow) {
	for _, w := range open {
		in.Window, in.WindowTainted = policy.Tier(w.Tier), w.Tainted
		if again := policy.Decide(in); again.Effect == policy.Allow {
			return again, &w
		}
	}
	return v, nil
}

// checkWindow answers errStale when a window was closed or ran out meanwhile, or its key was revoked. Versions cover the rest
// of its basis.
func (t txn) checkWindow(w openWindow) error {
	var n int
	const open = "SELECT count(*) FROM gate_windows WHERE approval_id = ? AND until > ? AND closed_at = 0"
	err := t.db.QueryRow(t.tx, open, w.ApprovalID, t.clock.now().Unix()).Scan(&n)
	if err != nil {
		return fmt.Errorf("read window: %w", err)
	}
	counts, err := t.keyIsValid(t.ctx, t.tx, w.basis.key)
	if err == nil && (n == 0 || !counts) {
		err = errStale
	}
	return err
}

// Windows lists the open windows, the one that ends first on top.
func (g *Gate) Windows(ctx context.Context) (wire.WindowsResult, error) {
	out := wire.WindowsResult{Items: []wire.Window{}}
	all, err := g.windowsWhere(ctx, "true")
	if err != nil {
		return out, err
	}
	open, _, err := g.splitByBasis(ctx, g.config(), all)
	for _, w := range open {
		out.Items = append(out.Items, w.Window)
	}
	return out, err
}

// closeRevokedWindows closes the windows whose basis is gone under s. They end for good: what the owner gives back later opens
// none again.
func (g *Gate) closeRevokedWindows(ctx context.Context, s config.State) error {
	all, err := g.windowsWhere(ctx, "true")
	if err != nil {
		return err
	}
	_, gone, err := g.splitByBasis(ctx, s, all)
	if err != nil || len(gone) == 0 {
		return err
	}
	return g.write(ctx, func(t txn) error {
		for _, w := range gone {
			body := map[string]any{"approval_id": w.ApprovalID, "by": g.decidedByAgentd(), "why": "what it was opened under was taken back"}
			if _, err := t.endWindow(w.ApprovalID, body); err != nil {
				return err
			}
		}
		return nil
	})
}

// endWindow closes a window and reports whether it was open.
func (t txn) endWindow(approval string, body map[string]any) (bool, error) {
	now := t.clock.now().Unix()
	const end = "UPDATE gate_windows SET closed_at = ? WHERE approval_id = ? AND until > ? AND closed_at = 0"
	res, err := t.tx.ExecContext(t.ctx, end, now, approval, now)
	if err != nil {
		return false, fmt.Errorf("close window: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	return true, t.appendReceipts([]receipt.Entry{{Type: "window.closed", Body: body}})
}
