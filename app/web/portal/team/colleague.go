package team

import (
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/team"
)

// dispatcher may hand tasks to all, so nobody chooses for it.
const dispatcher = "dispatcher"

// saveColleagues answers POST /app/agents/:agent/colleagues: the agent may hand tasks to a colleague, or no longer.
func (p *Pages) saveColleagues(c echo.Context) error {
	id, other := c.Param("agent"), c.FormValue("colleague")
	may := c.FormValue("may") == "1"
	if _, err := p.changeAgent(c, team.Asks(id, other, may)); err != nil {
		return err
	}
	ctx := web.Context(c)
	name := p.Agents.Agent(ctx, frame.Customer(c), other).Name
	if may {
		undo := web.Undo{Path: views.ColleaguesPath(id), Fields: map[string]string{"colleague": other, "may": "0"}}
		web.FlashUndo(c, i18n.T(ctx, "portal.colleague.now_may", "agent", p.name(c), "colleague", name), undo)
	} else {
		p.said(c, "portal.colleague.now_not", "agent", p.name(c), "colleague", name)
	}
	return frame.GoTo(c, portal.AgentPath(id))
}

// colleagues are the others of a team, and which of them an agent may hand tasks to.
func (p *Pages) colleagues(set wire.Config, id string, all []portal.AgentProps) (out []views.Colleague) {
	if id == dispatcher {
		return nil
	}
	for _, a := range all {
		if a.Agent.ID != id && a.Agent.ID != dispatcher {
			out = append(out, views.Colleague{Agent: a.Agent, May: slices.Contains(set.Agents[id].Asks, a.Agent.ID)})
		}
	}
	return out
}
