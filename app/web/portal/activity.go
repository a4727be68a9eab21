package portal

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/activity"
)

// activity answers GET /app/activity: what the team did, newest first.
func (p *Portal) activity(c echo.Context) error {
	ask := listOf(c)
	ctx, cancel := reading(c)
	defer cancel()
	props, away, err := p.activityProps(ctx, customer(c), ask)
	if err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.Results(props))
	}
	s := sheet{title: i18n.T(web.Context(c), "portal.activity.title"), away: away}
	if ask.After == "" {
		s.topic = "activity&" + props.Query().Encode() // older pages do not move
	}
	frame, err := p.frame(c, s)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(frame, props))
}

func (p *Portal) activityProps(ctx context.Context, of account.CustomerID, ask wire.ListParams) (views.Props, bool, error) {
	got, err := p.Chat.Runs(ctx, of, ask)
	away := isAway(err)
	if err != nil && !away {
		return views.Props{}, false, err
	}
	props := views.Props{Q: ask.Q, Agent: ask.Agent, Tier: ask.Tier, Tool: ask.Tool, After: ask.After, Next: got.Next, Away: away}
	for _, a := range p.names.all(of) {
		props.Agents = append(props.Agents, views.Choice{Value: a.ID, Label: a.Name})
	}
	for _, r := range got.Items {
		props.Runs = append(props.Runs, p.actOf(of, r))
	}
	return props, away, nil
}

// activityPanel keeps the newest page of the feed up to date.
func (p *Portal) activityPanel(c echo.Context, of account.CustomerID) topic {
	ask := listOf(c)
	return &panel{
		now: p.Now,
		matters: func(n relay.Notice) bool {
			return n.Kind == relay.KindServer || n.Kind == relay.KindRun && n.Run != nil && n.Run.Event != wire.EventDelta && n.Run.Event != wire.EventReceipt
		},
		draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.activityProps(ctx, of, ask)
			return views.Push(props), err
		},
	}
}
