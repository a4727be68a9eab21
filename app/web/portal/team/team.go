package team

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
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// team answers GET /app/agents: the team with what each may do alone.
func (p *Pages) team(c echo.Context) error {
	return p.showTeam(c, http.StatusOK, nil)
}

func (p *Pages) showTeam(c echo.Context, status int, bad map[string]string) error {
	props, away, err := p.teamProps(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	props.Problem = bad["level"]
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.agents.title"), Topic: "agents", Away: away})
	if err != nil {
		return err
	}
	outer.Failed = len(bad) > 0
	return web.Render(c, status, views.Page(outer, props))
}

// teamProps reads the team from its server, and what is set from the hub: while both differ, a change is on its way.
func (p *Pages) teamProps(ctx context.Context, of account.CustomerID) (views.Props, bool, error) {
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
	wait, cancel := frame.Asking(ctx)
	defer cancel()
	var group errgroup.Group
	group.Go(func() (err error) { got, err = p.Chat.Agents(wait, of); return err })
	group.Go(func() (err error) { secrets, err = p.Secrets.Asked(wait, of); return err })
	err = group.Wait()
	away := frame.IsAway(err)
	if err != nil && !away {
		return views.Props{}, false, err
	}
	p.Agents.Learn(of, got)
	return views.Props{
		Agents: roster.Strip(ctx, withSettings(got.Items, set.Config), waits.Items, secrets.Items),
		Level:  set.Config.DefaultLevel, Sync: signing.Sync(set), Away: away,
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

// saveDefaultLevel answers POST /app/agents/default-level: the level of all agents that have none of their own.
func (p *Pages) saveDefaultLevel(c echo.Context) error {
	level, err := strconv.Atoi(c.FormValue("level"))
	if err != nil {
		level = -1
	}
	was, err := p.Team.State(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	_, err = signing.Change(c, p.Team, team.DefaultLevel(level))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showTeam(c, http.StatusUnprocessableEntity, f.Fields)
	}
	if err != nil {
		return err
	}
	text := i18n.T(web.Context(c), "portal.default.saved", "level", levelName(c, level))
	saidLevel(c, text, level > was.Config.DefaultLevel, views.DefaultLevelPath, was.Config.DefaultLevel)
	return frame.GoTo(c, portal.Agents)
}

// teamPanel keeps the page of the team up to date.
func (p *Pages) teamPanel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return &live.Panel{
		Now: p.Now, Matters: agentMatters,
		Draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.teamProps(ctx, of)
			return views.Push(props), err
		},
	}
}

// agentMatters says whether what agents may do, or wait for, may have changed.
func agentMatters(n relay.Notice) bool { return settingsMatter(n) || n.Kind == relay.KindApproval }

func settingsMatter(n relay.Notice) bool {
	return n.Kind == relay.KindConfig || n.Kind == relay.KindServer
}
