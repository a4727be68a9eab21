package portal

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"

	views "gatehouse/views/portal"
)

// errNoAgent says that an agent is not in the team.
var errNoAgent = fault.New(fault.NotFound, "no-agent", "no such agent", "There is no agent of that name in your team.")

// agentRuns is how many runs the page of an agent lists.
const agentRuns = 8

// agent answers GET /app/agents/:agent: what one agent is for, may do and did.
func (p *Portal) agent(c echo.Context) error {
	props, away, err := p.agentProps(c.Request().Context(), customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: props.Agent.Agent.Name, topic: "agent&id=" + props.Agent.Agent.ID, away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AgentPage(frame, props))
}

// agentProps reads one agent. Settings can be seen and changed while the server is away; what it did cannot be read.
func (p *Portal) agentProps(ctx context.Context, of account.CustomerID, id string) (views.AgentPageProps, bool, error) {
	all, away, err := p.agentsProps(ctx, of)
	if err != nil {
		return views.AgentPageProps{}, false, err
	}
	props := views.AgentPageProps{Default: all.Level, Sync: all.Sync, Away: away}
	if away {
		return p.agentAlone(ctx, of, id, props)
	}
	for _, a := range all.Agents {
		if a.Agent.ID == id {
			props.Agent = a
		}
	}
	if props.Agent.Agent.ID == "" {
		return views.AgentPageProps{}, false, errNoAgent
	}
	wait, cancel := asking(ctx)
	defer cancel()
	got, err := p.Chat.Runs(wait, of, wire.ListParams{Agent: id, Limit: agentRuns})
	if props.Away = isAway(err); err != nil && !props.Away {
		return views.AgentPageProps{}, false, err
	}
	for _, r := range got.Items {
		props.Acts = append(props.Acts, p.actOf(of, r))
	}
	return props, props.Away, nil
}

// agentAlone is what the hub knows of an agent without its server.
func (p *Portal) agentAlone(ctx context.Context, of account.CustomerID, id string, props views.AgentPageProps) (views.AgentPageProps, bool, error) {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return props, true, err
	}
	known := withSettings([]wire.AgentInfo{{ID: id, Name: p.names.agent(of, id).Name}}, set.Config)
	props.Agent = agentOf(known[0], 0)
	return props, true, nil
}

// saveOff answers POST /app/agents/:agent/off: the agent is switched off, or on again.
func (p *Portal) saveOff(c echo.Context) error {
	id := c.Param("agent")
	_, err := p.change(c, team.Off(id, c.FormValue("off") == "1"))
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.AgentPath(id))
}

func (p *Portal) agentPanel(_ echo.Context, of account.CustomerID, id string) topic {
	return &panel{
		now: p.Now, matters: agentMatters,
		draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.agentProps(ctx, of, id)
			return views.PushAgent(props), err
		},
	}
}
