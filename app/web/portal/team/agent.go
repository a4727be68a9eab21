package team

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
	"gatehouse/app/relay"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// agentRuns is how many runs the page of an agent lists.
const agentRuns = 8

// shipped are the agents that every team starts with: agentd/team/templates.
var shipped = []string{chat.Dispatcher, "it-admin", "secretary"}

// agent answers GET /app/agents/:agent: what one agent is for, may do and did.
func (p *Pages) agent(c echo.Context) error {
	props, err := p.agentWithRuns(c.Request().Context(), frame.Customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Agent.Agent.Name, Topic: "agent&id=" + props.Agent.Agent.ID, Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AgentPage(outer, props))
}

// agentWithRuns reads one agent, and what it did beside it: whoever waits for the server waits once.
func (p *Pages) agentWithRuns(ctx context.Context, of account.CustomerID, id string) (props views.AgentPageProps, err error) {
	wait, cancel := frame.Asking(ctx)
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
	if frame.IsOurs(unread) {
		return views.AgentPageProps{}, unread
	}
	props.Unread = unread != nil
	for _, r := range got.Items {
		props.Runs = append(props.Runs, turn.Line(r, p.Agents.Agent(ctx, of, r.Agent)))
	}
	return props, nil
}

// agentProps reads one agent without its runs. Settings can be seen and changed while the server is away.
func (p *Pages) agentProps(ctx context.Context, of account.CustomerID, id string) (views.AgentPageProps, error) {
	all, away, err := p.teamProps(ctx, of)
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
		return views.AgentPageProps{}, roster.ErrNoAgent
	}
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return views.AgentPageProps{}, err
	}
	props.Sandboxed = set.Config.Agents[id].Sandboxed
	props.Colleagues = p.colleagues(set.Config, id, all.Agents)
	return props, nil
}

// agentAlone is what the hub knows of an agent without its server. Before it has read a team, it cannot say that an agent
// is not in it.
func (p *Pages) agentAlone(ctx context.Context, of account.CustomerID, id string) (portal.AgentProps, error) {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return portal.AgentProps{}, err
	}
	_, isSet := set.Config.Agents[id]
	known, read := p.Agents.Knows(of, id)
	switch {
	case known || isSet || slices.Contains(shipped, id):
		a := withSettings([]wire.AgentInfo{{ID: id, Name: p.Agents.Agent(ctx, of, id).Name}}, set.Config)
		return roster.Props(ctx, a[0], 0), nil
	case read:
		return portal.AgentProps{}, roster.ErrNoAgent
	}
	return portal.AgentProps{}, relay.ErrAway
}

// Known reports, by the error, whether an agent is in the team as far as the hub can say without its server.
func (p *Pages) Known(ctx context.Context, of account.CustomerID, id string) error {
	_, err := p.agentAlone(ctx, of, id)
	return err
}

// saveOff answers POST /app/agents/:agent/off: the agent is switched off, or on again.
func (p *Pages) saveOff(c echo.Context) error {
	id := c.Param("agent")
	off := c.FormValue("off") == "1"
	if _, err := p.changeAgent(c, team.Off(id, off)); err != nil {
		return err
	}
	if off {
		p.said(c, "portal.agent.now_off", "agent", p.name(c))
	} else {
		undo := web.Undo{Path: portal.AgentPath(id) + "/off", Fields: map[string]string{"off": "1"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "portal.agent.now_on", "agent", p.name(c)), undo)
	}
	return frame.GoTo(c, portal.AgentPath(id))
}

// agentPanel keeps the page of an agent up to date.
func (p *Pages) agentPanel(c echo.Context, _ string) live.Topic {
	of, id := frame.Customer(c), c.QueryParam("id")
	return &live.Panel{
		Now: p.Now, Matters: agentMatters,
		Draw: func(ctx context.Context) (templ.Component, error) {
			props, err := p.agentWithRuns(ctx, of, id)
			return views.PushAgent(props), err
		},
	}
}

// changeAgent carries out an edit for one agent; nothing is set for one that is not in the team. While nobody can say
// whether it is, its settings can be changed: an agent can be switched off at any time.
func (p *Pages) changeAgent(c echo.Context, edit team.Edit) (wire.Config, error) {
	if _, err := p.agentProps(c.Request().Context(), frame.Customer(c), c.Param("agent")); err != nil && !frame.IsAway(err) {
		return wire.Config{}, err
	}
	return signing.Change(c, p.Team, edit)
}
