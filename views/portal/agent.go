package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// AgentProps is one agent of the team.
type AgentProps struct {
	Agent      ui.Agent
	About      string
	Level      int
	Inherited  bool // the level is the team's
	Off        bool
	Tools      []ToolProps
	Unlocked   []string // outward tools that need no approval
	Calls      int      // of the last seven days
	LastActive time.Time
	Starters   []string
	Asks       int     // approvals and credentials that it waits for
	Broken     string  // why it cannot work; empty: it can
	Paused     *Paused // the budget that keeps it from working; nil: none does
}

// ToolProps is one tool as an agent sees it.
type ToolProps struct {
	Name, Doc string
	Outward   bool
	Unlocked  bool
	Visible   bool
	OwnerOnly bool   // seen only in runs that begin with what the owner wrote
	Layer     string // what took it from the agent; empty: nothing did, or an older server does not say
	Why       string
}

var levelNames = map[int]i18n.Key{1: "portal.level.1", 2: "portal.level.2", 3: "portal.level.3"}

var levelHints = map[int]i18n.Key{1: "portal.level.1_hint", 2: "portal.level.2_hint", 3: "portal.level.3_hint"}

// LevelWord names an autonomy level.
func LevelWord(ctx context.Context, level int) string {
	if key, ok := levelNames[level]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.T(ctx, "portal.level.1")
}

// LevelHint says what an autonomy level lets an agent do.
func LevelHint(ctx context.Context, level int) string {
	if key, ok := levelHints[level]; ok {
		return i18n.T(ctx, key)
	}
	return ""
}

// Powers says in a sentence what an agent may do alone.
func Powers(ctx context.Context, a AgentProps) string {
	if a.Off {
		return i18n.T(ctx, "portal.agent.is_off")
	}
	out := LevelHint(ctx, a.Level)
	if n := len(a.Unlocked); n > 0 {
		return out + " " + i18n.T(ctx, "portal.agent.unlocked", "n", n)
	}
	return out + " " + i18n.T(ctx, "portal.agent.gated")
}
