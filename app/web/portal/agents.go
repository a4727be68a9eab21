package portal

import (
	"context"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// agents answers GET /app/agents: the team with what each may do alone.
func (p *Portal) agents(c echo.Context) error {
	return p.showAgents(c, http.StatusOK, nil)
}

func (p *Portal) showAgents(c echo.Context, status int, bad map[string]string) error {
	props, away, err := p.agentsProps(c.Request().Context(), customer(c))
	if err != nil {
		return err
	}
	props.Problem = bad["level"]
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.agents.title"), topic: "agents", away: away})
	if err != nil {
		return err
	}
	frame.Failed = len(bad) > 0
	return web.Render(c, status, views.Page(frame, props))
}

// agentsProps reads the team from its server, and what is set from the hub: while both differ, a change is on its way.
func (p *Portal) agentsProps(ctx context.Context, of account.CustomerID) (views.Props, bool, error) {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return views.Props{}, false, err
	}
	waits, err := p.Inbox.List(ctx, of, approval.Query{Status: "pending", Bare: true, Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return views.Props{}, false, err
	}
	var got wire.AgentsResult
	var secrets wire.SecretRequestsResult
	wait, cancel := asking(ctx)
	defer cancel()
	var group errgroup.Group
	group.Go(func() (err error) { got, err = p.Chat.Agents(wait, of); return err })
	group.Go(func() (err error) { secrets, err = p.Credentials.Asked(wait, of); return err })
	err = group.Wait()
	away := isAway(err)
	if err != nil && !away {
		return views.Props{}, false, err
	}
	p.names.learn(of, got)
	return views.Props{
		Agents: agentStrip(withSettings(got.Items, set.Config), waits.Items, secrets.Items), Level: set.Config.DefaultLevel, Sync: syncOf(set), Away: away,
	}, away, nil
}

// withSettings shows what the owner has set, also while the server has not applied it yet.
func withSettings(items []wire.AgentInfo, c wire.Config) []wire.AgentInfo {
	out := make([]wire.AgentInfo, len(items))
	for i, a := range items {
		set := c.Agents[a.ID]
		a.Level, a.Inherited, a.Off = set.Level, set.Level == 0, set.Off
		if a.Inherited {
			a.Level = c.DefaultLevel
		}
		a.Tools = unlockedBy(a.Tools, set.Unlocked)
		out[i] = a
	}
	return out
}

func unlockedBy(tools []wire.ToolInfo, unlocked []string) []wire.ToolInfo {
	out := make([]wire.ToolInfo, len(tools))
	for i, t := range tools {
		t.Unlocked = false
		for _, u := range unlocked {
			t.Unlocked = t.Unlocked || u == t.Name
		}
		out[i] = t
	}
	return out
}

// syncOf says whether the server runs what is set.
func syncOf(s team.State) portal.SyncProps {
	return portal.SyncProps{Version: s.Config.Version, Server: string(s.ServerID), Next: s.Next(), Waiting: s.Waiting(), Error: s.Error, At: s.ReportedAt}
}

// saveDefaultLevel answers POST /app/agents/default-level: the level of all agents that have none of their own.
func (p *Portal) saveDefaultLevel(c echo.Context) error {
	level, err := strconv.Atoi(c.FormValue("level"))
	if err != nil {
		level = -1
	}
	_, err = p.change(c, team.DefaultLevel(level))
	if f := fault.Of(err); err != nil && f.Kind == fault.Invalid {
		return p.showAgents(c, http.StatusUnprocessableEntity, f.Fields)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, portal.Agents)
}

func (p *Portal) agentsPanel(_ echo.Context, of account.CustomerID) topic {
	return &panel{
		now: p.Now, matters: agentMatters,
		draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.agentsProps(ctx, of)
			return views.Push(props), err
		},
	}
}

// agentMatters says whether what agents may do, or wait for, may have changed.
func agentMatters(n relay.Notice) bool { return teamMatters(n) || n.Kind == relay.KindApproval }

func teamMatters(n relay.Notice) bool {
	return n.Kind == relay.KindConfig || n.Kind == relay.KindServer
}
