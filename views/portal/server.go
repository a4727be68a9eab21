package portal

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func versions(ctx context.Context, h HealthProps) []ui.Pair {
	none := i18n.T(ctx, "ui.time.none")
	or := func(v string) string {
		if v == "" {
			return none
		}
		return v
	}
	model := or(h.Model)
	if h.Rehearsal {
		model = i18n.T(ctx, "portal.server.rehearsal")
	}
	return []ui.Pair{
		{Name: i18n.T(ctx, "portal.server.agentd"), Value: or(h.Agentd)},
		{Name: i18n.T(ctx, "portal.server.config"), Value: ui.Count(h.Config)},
		{Name: i18n.T(ctx, "portal.server.model"), Value: model},
		{Name: i18n.T(ctx, "portal.server.since"), View: ui.At(h.Since)},
		{Name: i18n.T(ctx, "portal.server.id"), Value: or(h.ID), Code: true},
	}
}
