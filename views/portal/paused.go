package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Paused says which budget keeps an agent from working.
type Paused struct {
	Budget      string // pool, team or agent
	Limit, Used int64
	Until       time.Time
}

var pausedWhy = map[string]i18n.Key{
	"pool": "portal.paused.pool", "team": "portal.paused.team", "agent": "portal.paused.agent",
}

var pausedPress = map[string]i18n.Key{
	"pool": "portal.paused.press_pool", "team": "portal.paused.press_team", "agent": "portal.paused.press_agent",
}

// why says in a sentence what is used up, and until when the agent is paused.
func (p Paused) why(ctx context.Context) string {
	key, ok := pausedWhy[p.Budget]
	if !ok {
		key = "portal.paused.agent"
	}
	return i18n.T(ctx, key, "used", p.Used, "limit", p.Limit) + " " + i18n.T(ctx, "portal.paused.until", "time", ui.Moment(ctx, p.Until))
}

// press is what lets the agent work on at once, and where that is.
func (p Paused) press(ctx context.Context, agent string) ui.Crumb {
	switch p.Budget {
	case "pool":
		return ui.Crumb{Label: i18n.T(ctx, pausedPress[p.Budget]), Href: Limits + "#pool"}
	case "team":
		return ui.Crumb{Label: i18n.T(ctx, pausedPress[p.Budget]), Href: Limits + "#day"}
	}
	return ui.Crumb{Label: i18n.T(ctx, "portal.paused.press_agent"), Href: AgentPath(agent) + "/model"}
}
