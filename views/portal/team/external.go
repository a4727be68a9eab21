package team

import (
	"context"
	"slices"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ExternalProps is what one agent may send outside.
type ExternalProps struct {
	Agent portal.AgentProps
	Sync  portal.SyncProps
	Away  bool
}

// Outward are the tools that can reach people outside.
func (p ExternalProps) Outward() []portal.ToolProps {
	var out []portal.ToolProps
	for _, t := range p.Agent.Tools {
		if t.Outward && t.Visible {
			out = append(out, t)
		}
	}
	return out
}

// lead says what waits for the reader, as it is now.
func (p ExternalProps) lead(ctx context.Context) string {
	if slices.ContainsFunc(p.Outward(), func(t portal.ToolProps) bool { return t.Unlocked }) {
		return i18n.T(ctx, "portal.external.lead_open", "agent", p.Agent.Agent.Name)
	}
	return i18n.T(ctx, "portal.external.lead")
}

// unlockPower asks before one tool goes ahead on its own.
func unlockPower(ctx context.Context, p ExternalProps, t portal.ToolProps) portal.Power {
	agent := p.Agent.Agent
	return portal.Power{
		ID: "confirm-" + t.Name, Form: "unlock-" + t.Name, Name: "mode", Value: "autonomous", Cancel: ExternalPath(agent.ID),
		Title: i18n.T(ctx, "portal.power.unlock", "agent", agent.Name, "does", ui.ToolDoes(ctx, t.Name)),
		Says:  []ui.Option{{Label: i18n.T(ctx, "portal.power.unlock_says", "agent", agent.Name)}},
		Do:    i18n.T(ctx, "portal.external.unlock"),
	}
}
