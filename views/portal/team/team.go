package team

import (
	"context"
	"slices"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// Props is the team.
type Props struct {
	Agents  []portal.AgentProps
	Level   int
	Sync    portal.SyncProps
	Away    bool
	Problem string
}

func hasOutward(a portal.AgentProps) bool {
	return slices.ContainsFunc(a.Tools, func(t portal.ToolProps) bool { return t.Outward && t.Visible })
}

// outside says what an agent may send outside without asking.
func outside(ctx context.Context, a portal.AgentProps) string {
	switch {
	case !hasOutward(a):
		return i18n.T(ctx, "portal.agent.no_outward")
	case len(a.Unlocked) == 0:
		return i18n.T(ctx, "portal.agent.all_gated")
	}
	return i18n.T(ctx, "portal.agent.on_its_own", "tools", strings.Join(a.Unlocked, ", "))
}
