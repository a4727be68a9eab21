package gate

import (
	"context"
	"database/sql"

	"gatehouse/agentd/config"
)

// windowBasis is what a window was opened under. When the owner takes any of it back, the window ends with it. Rules that
// changed since may ask about calls that the window covers, so they end it too.
type windowBasis struct {
	key      string // id of the key that signed; empty: not known
	level    int    // of the agent
	unlocked bool   // the tool may send outside
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

// basisHolds reports whether everything a window was opened under still holds.
func (g *Gate) basisHolds(ctx context.Context, s config.State, w windowBasis, agent, tool string) (bool, error) {
	_, rules := s.Rules()
	locked := w.unlocked && !s.Unlocked(agent, tool)
	otherRules := w.rules >= 0 && rules != w.rules
	if s.Off(agent) || s.Level(agent) < w.level || locked || otherRules {
		return false, nil
	}
	return g.keyIsValid(ctx, nil, w.key)
}

// keyIsValid reports whether a key that signed something is still valid, as tx sees it. An unknown key passes.
func (g *Gate) keyIsValid(ctx context.Context, tx *sql.Tx, key string) (bool, error) {
	if key == "" {
		return true, nil
	}
	if identity, is := pairedOf(key); is {
		if g.deps.Paired == nil {
			return false, nil
		}
		return g.deps.Paired(ctx, tx, identity)
	}
	return g.deps.Signed.Counts(ctx, tx, key)
}
