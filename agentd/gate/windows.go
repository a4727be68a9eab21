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

// window is one that has time left and was not closed, with what it was opened under.
type window struct {
	wire.Window
	under grounds
}

// windowsWhere reads them, the one that ends first on top.
func (g *Gate) windowsWhere(ctx context.Context, where string, args ...any) ([]window, error) {
	rows, err := g.d.DB.Read().QueryContext(ctx, `SELECT approval_id, agent, tool, tier, destination, tainted, opened_at, opened_by, until, key_id, level, unlocked, rules
		FROM gate_windows WHERE until > ? AND closed_at = 0 AND `+where+" ORDER BY until, approval_id", append([]any{g.clock.now().Unix()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read windows: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []window
	for rows.Next() {
		var w window
		var by string
		var opened, until int64
		err := rows.Scan(&w.ApprovalID, &w.Agent, &w.Tool, &w.Tier, &w.Destination, &w.Tainted, &opened, &by, &until,
			&w.under.key, &w.under.level, &w.under.unlocked, &w.under.rules)
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

// sorted parts windows into those that stand under a configuration and those whose grounds were taken back.
func (g *Gate) sorted(ctx context.Context, s config.State, all []window) (open, gone []window, err error) {
	for _, w := range all {
		stands, err := g.stands(ctx, s, w.under, w.Agent, w.Tool)
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

// windows are the open ones for an agent and a tool, for all that it does or for this destination.
func (g *Gate) windows(ctx context.Context, agent, tool, destination string) ([]window, error) {
	all, err := g.windowsWhere(ctx, "agent = ? AND tool = ? AND destination IN ('', ?)", agent, tool, destination)
	if err != nil {
		return nil, err
	}
	open, _, err := g.sorted(ctx, g.d.Rules.State(), all)
	return open, err
}

// through decides again with each open window, until one lets the call through.
func through(in policy.Input, v policy.Verdict, open []window) (policy.Verdict, *window) {
	for _, w := range open {
		in.Window, in.WindowTainted = policy.Tier(w.Tier), w.Tainted
		if again := policy.Decide(in); again.Effect == policy.Allow {
			return again, &w
		}
	}
	return v, nil
}

// open answers errStale when a window was closed or ran out meanwhile, or its key was revoked. The rest that it stands on
// has versions.
func (ch change) open(w window) error {
	var n int
	err := ch.g.d.DB.QueryRow(ch.tx, "SELECT count(*) FROM gate_windows WHERE approval_id = ? AND until > ? AND closed_at = 0", w.ApprovalID, ch.g.clock.now().Unix()).Scan(&n)
	if err != nil {
		return fmt.Errorf("read window: %w", err)
	}
	counts, err := ch.g.counts(ch.ctx, ch.tx, w.under.key)
	if err == nil && (n == 0 || !counts) {
		err = errStale
	}
	return err
}

// Windows lists the open ones, the one that ends first on top.
func (g *Gate) Windows(ctx context.Context) (wire.WindowsResult, error) {
	out := wire.WindowsResult{Items: []wire.Window{}}
	all, err := g.windowsWhere(ctx, "true")
	if err != nil {
		return out, err
	}
	open, _, err := g.sorted(ctx, g.d.Rules.State(), all)
	for _, w := range open {
		out.Items = append(out.Items, w.Window)
	}
	return out, err
}

// endWindows closes the windows whose grounds are gone under s. They end for good: what the owner gives back later opens
// none again.
func (g *Gate) endWindows(ctx context.Context, s config.State) error {
	all, err := g.windowsWhere(ctx, "true")
	if err != nil {
		return err
	}
	_, gone, err := g.sorted(ctx, s, all)
	if err != nil || len(gone) == 0 {
		return err
	}
	return g.write(ctx, func(ch change) error {
		for _, w := range gone {
			body := map[string]any{"approval_id": w.ApprovalID, "by": g.self(), "why": "what it was opened under was taken back"}
			if _, err := ch.close(w.ApprovalID, body); err != nil {
				return err
			}
		}
		return nil
	})
}

// close ends a window, and says whether it was open.
func (ch change) close(approval string, body map[string]any) (bool, error) {
	now := ch.g.clock.now().Unix()
	res, err := ch.tx.ExecContext(ch.ctx, "UPDATE gate_windows SET closed_at = ? WHERE approval_id = ? AND until > ? AND closed_at = 0", now, approval, now)
	if err != nil {
		return false, fmt.Errorf("close window: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	return true, ch.receipts([]receipt.Entry{{Type: "window.closed", Body: body}})
}
