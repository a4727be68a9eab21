package activity

import (
	"context"
	"net/url"
	"slices"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Props is the feed.
type Props struct {
	Q, Agent, Tier, Tool, After, Next string
	Agents                            []Choice
	Runs                              []portal.RunProps
	Away                              bool
}

// Choice is one value of a filter.
type Choice struct{ Value, Label string }

// Query is what narrows the feed.
func (p Props) Query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"q": p.Q, "agent": p.Agent, "tier": p.Tier, "tool": p.Tool} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

func agentChoices(ctx context.Context, p Props) []Choice {
	out := append([]Choice{{Label: i18n.T(ctx, "portal.activity.all_agents")}}, p.Agents...)
	return keep(out, p.Agent, p.Agent)
}

func tierChoices(ctx context.Context) []Choice {
	out := []Choice{{Label: i18n.T(ctx, "portal.activity.all_tiers")}}
	for _, t := range []string{"green", "yellow", "yellow_external", "red", "critical_red"} {
		out = append(out, Choice{Value: t, Label: ui.TierWord(ctx, t)})
	}
	return out
}

func toolChoices(ctx context.Context, p Props) []Choice {
	out := []Choice{{Label: i18n.T(ctx, "portal.activity.all_tools")}}
	for _, t := range ui.Tools(ctx) {
		out = append(out, Choice{Value: t, Label: ui.ToolTitle(ctx, t)})
	}
	return keep(out, p.Tool, ui.ToolTitle(ctx, p.Tool))
}

// keep adds the chosen value if it is none of the choices, so that the form says what the list shows.
func keep(all []Choice, chosen, label string) []Choice {
	if chosen == "" || slices.ContainsFunc(all, func(c Choice) bool { return c.Value == chosen }) {
		return all
	}
	return append(all, Choice{Value: chosen, Label: label})
}
