package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/strict"
	"gatehouse/agentd/wire"
)

// allowForWindow lets the call run, and calls like it for a while.
func (t txn) allowForWindow(a *approval, d wire.Decision) error {
	longest := policy.MaxWindow(policy.Tier(a.Tier))
	if d.Minutes < 1 || d.Minutes > longest {
		return t.askAgain(a, d, fmt.Sprintf("it cannot be allowed for %d minutes; %d is the most", d.Minutes, longest))
	}
	where, why := windowDestination(a, d)
	if why != "" {
		return t.askAgain(a, d, why)
	}
	now := t.clock.now()
	until := now.Add(time.Duration(d.Minutes) * time.Minute)
	if err := t.allowOnce(a, d, map[string]any{"minutes": d.Minutes, "until": until, "destination": where}); err != nil {
		return err
	}
	by, err := json.Marshal(d.By)
	if err != nil {
		return fmt.Errorf("keep window: %w", err)
	}
	under := t.basisFor(a.Agent, a.Tool)
	_, err = t.tx.ExecContext(t.ctx, `INSERT INTO gate_windows
		(approval_id, agent, tool, tier, until, destination, tainted, opened_at, opened_by, key_id, level, unlocked, rules)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		a.ID, a.Agent, a.Tool, a.Tier, until.Unix(), where, len(a.Taint) > 0, now.Unix(), string(by),
		under.key, under.level, under.unlocked, under.rules)
	if err != nil {
		return fmt.Errorf("keep window: %w", err)
	}
	return nil
}

// windowDestination is the destination that a window is bound to; empty: none. why says what is wrong with the scope.
func windowDestination(a *approval, d wire.Decision) (where, why string) {
	if len(d.Scope) == 0 || string(d.Scope) == "null" {
		return "", ""
	}
	s, err := strict.Parse[wire.WindowScope](d.Scope)
	switch {
	case err != nil:
		return "", "this server does not know that scope"
	case s.Destination && a.Destination == "":
		return "", "it has no destination that a window could be bound to"
	case s.Destination:
		return a.Destination, ""
	}
	return "", ""
}

// errNoWindow says that no open window has that name.
var errNoWindow = &wire.RPCError{Code: "not_found", Text: "This temporary permission has already ended."}

// CloseWindow ends an open window before its time.
func (g *Gate) CloseWindow(ctx context.Context, c wire.WindowClose) error {
	err := g.write(ctx, func(t txn) error {
		closed, err := t.endWindow(c.ApprovalID, map[string]any{"approval_id": c.ApprovalID, "by": c.By})
		if err == nil && !closed {
			return errNoWindow
		}
		return err
	})
	var no *wire.RPCError
	if errors.As(err, &no) {
		return no
	}
	return err
}
