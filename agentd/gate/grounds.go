package gate

import (
	"context"
	"database/sql"

	"gatehouse/agentd/config"
)

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
func (g *Gate) stands(ctx context.Context, s config.State, w grounds, agent, tool string) (bool, error) {
	_, rules := s.Rules()
	if s.Off(agent) || s.Level(agent) < w.level || w.unlocked && !s.Unlocked(agent, tool) || w.rules >= 0 && rules != w.rules {
		return false, nil
	}
	return g.counts(ctx, nil, w.key)
}

// counts says whether the key that signed something still counts, as tx sees it. Of an unknown one nothing can be said.
func (g *Gate) counts(ctx context.Context, tx *sql.Tx, key string) (bool, error) {
	if key == "" {
		return true, nil
	}
	return g.d.Signed.Counts(ctx, tx, key)
}
