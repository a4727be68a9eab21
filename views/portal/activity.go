package portal

import (
	"context"
	"slices"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func agentChoices(ctx context.Context, p ActivityProps) []Choice {
	out := append([]Choice{{Label: i18n.T(ctx, "portal.activity.all_agents")}}, p.Agents...)
	return keep(out, p.Agent)
}

func tierChoices(ctx context.Context) []Choice {
	out := []Choice{{Label: i18n.T(ctx, "portal.activity.all_tiers")}}
	for _, t := range []string{"green", "yellow", "yellow_external", "red", "critical_red"} {
		out = append(out, Choice{Value: t, Label: ui.TierWord(ctx, t)})
	}
	return out
}

// tools are those of this version that leave something to see in the feed.
var tools = []string{"shell", "file_read", "file_list", "file_write", "file_restore", "file_delete", "message", "agent_dispatch"}

func toolChoices(ctx context.Context, p ActivityProps) []Choice {
	out := []Choice{{Label: i18n.T(ctx, "portal.activity.all_tools")}}
	for _, t := range tools {
		out = append(out, Choice{Value: t, Label: t})
	}
	return keep(out, p.Tool)
}

// keep adds the chosen value if it is none of the choices, so that the form says what the list shows.
func keep(all []Choice, chosen string) []Choice {
	if chosen == "" || slices.ContainsFunc(all, func(c Choice) bool { return c.Value == chosen }) {
		return all
	}
	return append(all, Choice{Value: chosen, Label: chosen})
}
