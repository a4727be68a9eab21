package gate

import (
	"context"
	"fmt"

	"gatehouse/agentd/policy"
)

// window is an open one that covers a call by agent, tool and destination.
type window struct {
	tier    policy.Tier
	tainted bool
}

// grounds are what a window was opened under. When the owner takes something of it back, the window ends with it: rules
// that were changed since may ask for what it covers.
type grounds struct {
	key      string // that signed; empty: not known
	level    int    // of the agent
	unlocked bool   // the tool, outward
	rules    int64  // their version; -1: not known
}

// groundsFor is what a window for an agent and a tool would be opened under now.
func (ch change) groundsFor(agent, tool string) grounds {
	s := ch.g.d.Rules.State()
	_, rules := s.Rules()
	now := grounds{level: s.Level(agent), unlocked: s.Unlocked(agent, tool), rules: rules}
	if ch.signed != nil {
		now.key = ch.signed.Key
	}
	return now
}

// stands says whether what a window was opened under still holds.
func (g *Gate) stands(ctx context.Context, w grounds, agent, tool string) (bool, error) {
	s := g.d.Rules.State()
	_, rules := s.Rules()
	if s.Level(agent) < w.level || w.unlocked && !s.Unlocked(agent, tool) || w.rules >= 0 && rules != w.rules {
		return false, nil
	}
	if w.key == "" {
		return true, nil
	}
	return g.d.Signed.Counts(ctx, w.key)
}

// windows are the open ones for an agent and a tool, for all that it does or for this destination.
func (g *Gate) windows(ctx context.Context, agent, tool, destination string) ([]window, error) {
	rows, err := g.d.DB.Read().QueryContext(ctx, `SELECT tier, tainted, key_id, level, unlocked, rules FROM gate_windows
		WHERE agent = ? AND tool = ? AND until > ? AND closed_at = 0 AND destination IN ('', ?)`, agent, tool, g.clock.now().Unix(), destination)
	if err != nil {
		return nil, fmt.Errorf("read windows: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []window
	for rows.Next() {
		var w window
		var under grounds
		if err := rows.Scan(&w.tier, &w.tainted, &under.key, &under.level, &under.unlocked, &under.rules); err != nil {
			return nil, fmt.Errorf("read windows: %w", err)
		}
		stands, err := g.stands(ctx, under, agent, tool)
		if err != nil {
			return nil, err
		}
		if stands {
			all = append(all, w)
		}
	}
	return all, rows.Err()
}
