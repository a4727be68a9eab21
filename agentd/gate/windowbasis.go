package gate

import (
	"context"
	"database/sql"

	"gatehouse/agentd/config"
)

// windowBasis are what a window was opened under. When the owner takes something of it back, the window ends with it: rules
// that were changed since may ask for what it covers.
type windowBasis struct {
	key      string // that signed; empty: not known
	level    int    // of the agent
	unlocked bool   // the tool, outward
	rules    int64  // their version; -1: not known
}

// basisFor is what a window for an agent and a tool would be opened under now.
func (t txn) basisFor(agent, tool string) windowBasis {
	s := t.config()
	_, rules := s.Rules()
	now := windowBasis{level: s.Level(agent), unlocked: s.Unlocked(agent, tool), rules: rules}
	if t.signature != nil {
		now.key = t.signature.Key
	}
	return now
}

// basisHolds says whether what a window was opened under still holds.
func (g *Gate) basisHolds(ctx context.Context, s config.State, w windowBasis, agent, tool string) (bool, error) {
	_, rules := s.Rules()
	if s.Off(agent) || s.Level(agent) < w.level || w.unlocked && !s.Unlocked(agent, tool) || w.rules >= 0 && rules != w.rules {
		return false, nil
	}
	return g.keyIsValid(ctx, nil, w.key)
}

// keyIsValid says whether the key that signed something still counts, as tx sees it. Of an unknown one nothing can be said.
func (g *Gate) keyIsValid(ctx context.Context, tx *sql.Tx, key string) (bool, error) {
	if key == "" {
		return true, nil
	}
	return g.deps.Signed.Counts(ctx, tx, key)
}
