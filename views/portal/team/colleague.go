package team

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Colleague is another agent, and whether this one may hand tasks to it.
type Colleague struct {
	Agent ui.Agent
	May   bool
}

// askPower asks before an agent may hand tasks to a colleague.
func askPower(ctx context.Context, p AgentPageProps, c Colleague) portal.Power {
	agent := p.Agent.Agent
	return portal.Power{
		ID: "confirm-ask-" + c.Agent.ID, Form: "ask-" + c.Agent.ID, Name: "may", Value: "1", Cancel: portal.AgentPath(agent.ID),
		Title: i18n.T(ctx, "portal.colleague.power", "agent", agent.Name, "colleague", c.Agent.Name),
		Says:  []ui.Option{{Label: i18n.T(ctx, "portal.colleague.power_says", "agent", agent.Name, "colleague", c.Agent.Name)}},
		Do:    i18n.T(ctx, "portal.colleague.let"),
	}
}
