package activity

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/activity"
)

// feed answers GET /app/activity: what the team did, newest first.
func (p *Pages) feed(c echo.Context) error {
	ask := frame.ListParams(c)
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, away, err := p.feedProps(ctx, frame.Customer(c), ask)
	if err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.Results(props))
	}
	page := frame.Page{Title: i18n.T(web.Context(c), "portal.activity.title"), Away: away}
	if ask.After == "" {
		page.Topic = "activity&" + props.Query().Encode() // older pages do not move
	}
	outer, err := p.Frames.Of(c, page)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(outer, props))
}

func (p *Pages) feedProps(ctx context.Context, of account.CustomerID, ask wire.ListParams) (views.Props, bool, error) {
	got, err := p.Chat.Runs(ctx, of, ask)
	away := frame.IsAway(err)
	if err != nil && !away {
		return views.Props{}, false, err
	}
	props := views.Props{Q: ask.Q, Agent: ask.Agent, Tier: ask.Tier, Tool: ask.Tool, After: ask.After, Next: got.Next, Away: away}
	for _, a := range p.Agents.All(ctx, of) {
		props.Agents = append(props.Agents, views.Choice{Value: a.ID, Label: a.Name})
	}
	for _, r := range got.Items {
		props.Runs = append(props.Runs, turn.Line(r, p.Agents.Agent(ctx, of, r.Agent)))
	}
	return props, away, nil
}

// feedPanel keeps the newest page of the feed up to date.
func (p *Pages) feedPanel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	ask := frame.ListParams(c)
	return &live.Panel{
		Now: p.Now,
		Matters: func(n relay.Notice) bool {
			if n.Kind == relay.KindRun && n.Run != nil {
				return n.Run.Event != wire.EventDelta && n.Run.Event != wire.EventReceipt
			}
			return n.Kind == relay.KindServer
		},
		Draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.feedProps(ctx, of, ask)
			return views.Push(props), err
		},
	}
}
