package portal

import (
	"context"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/team"
	"gatehouse/app/web"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// errNoAgent says that an agent is not in the team.
var errNoAgent = fault.New(fault.NotFound, "no-agent", "no such agent", "There is no agent of that name in your team.")

// agentRuns is how many runs the page of an agent lists.
const agentRuns = 8

// shipped are the agents that every team starts with: agentd/team/templates.
var shipped = []string{chat.Dispatcher, "it-admin", "secretary"}

// agent answers GET /app/agents/:agent: what one agent is for, may do and did.
func (p *Portal) agent(c echo.Context) error {
	props, err := p.agentWithRuns(c.Request().Context(), customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: props.Agent.Agent.Name, topic: "agent&id=" + props.Agent.Agent.ID, away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AgentPage(frame, props))
}

// agentWithRuns reads one agent, and what it did beside it: whoever waits for the server waits once.
func (p *Portal) agentWithRuns(ctx context.Context, of account.CustomerID, id string) (props views.AgentPageProps, err error) {
	wait, cancel := asking(ctx)
	defer cancel()
	var got wire.RunsResult
	var unread error
	var group errgroup.Group
	group.Go(func() (err error) { props, err = p.agentProps(ctx, of, id); return err })
	group.Go(func() error {
		got, unread = p.Chat.Runs(wait, of, wire.ListParams{Agent: id, Limit: agentRuns})
		return nil
	})
	if err := group.Wait(); err != nil {
		return views.AgentPageProps{}, err
	}
	if ours(unread) {
		return views.AgentPageProps{}, unread
	}
	props.Unread = unread != nil
	for _, r := range got.Items {
		props.Runs = append(props.Runs, p.actOf(of, r))
	}
	return props, nil
}

// agentProps reads one agent without its runs. Settings can be seen and changed while the server is away.
func (p *Portal) agentProps(ctx context.Context, of account.CustomerID, id string) (views.AgentPageProps, error) {
	all, away, err := p.agentsProps(ctx, of)
	if err != nil {
		return views.AgentPageProps{}, err
	}
	props := views.AgentPageProps{Default: all.Level, Sync: all.Sync, Away: away}
	if away {
		props.Agent, err = p.agentAlone(ctx, of, id)
		return props, err
	}
	for _, a := range all.Agents {
		if a.Agent.ID == id {
			props.Agent = a
		}
	}
	if props.Agent.Agent.ID == "" {
		return views.AgentPageProps{}, errNoAgent
	}
	return props, nil
}

// agentAlone is what the hub knows of an agent without its server. Before it has read a team, it cannot say that an agent
// is not in it.
func (p *Portal) agentAlone(ctx context.Context, of account.CustomerID, id string) (portal.AgentProps, error) {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return portal.AgentProps{}, err
	}
	_, isSet := set.Config.Agents[id]
	known, read := p.names.knows(of, id)
	switch {
	case known || isSet || slices.Contains(shipped, id):
		a := withSettings([]wire.AgentInfo{{ID: id, Name: p.names.agent(of, id).Name}}, set.Config)
		return agentOf(a[0], 0), nil
	case read:
		return portal.AgentProps{}, errNoAgent
	}
	return portal.AgentProps{}, relay.ErrAway
}

// saveOff answers POST /app/agents/:agent/off: the agent is switched off, or on again.
func (p *Portal) saveOff(c echo.Context) error {
	id := c.Param("agent")
	if _, err := p.changeAgent(c, team.Off(id, c.FormValue("off") == "1")); err != nil {
		return err
	}
	return web.SeeOther(c, portal.AgentPath(id))
}

func (p *Portal) agentPanel(_ echo.Context, of account.CustomerID, id string) topic {
	return &panel{
		now: p.Now, matters: agentMatters,
		draw: func(ctx context.Context) (templ.Component, error) {
			props, err := p.agentWithRuns(ctx, of, id)
			return views.PushAgent(props), err
		},
	}
}
