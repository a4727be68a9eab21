package schedule

import (
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/live"

	views "gatehouse/views/portal/schedule"
)

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{
		"schedules": {Right: account.Look, Open: p.listPanel}, "schedule": {Right: account.Look, Open: p.onePanel},
	}
}

// moves says whether a notice may change what pages of schedules show: a run has begun or ended, an agent has done something, which may
// be a schedule that it made, or the server was away.
func moves(n relay.Notice) bool {
	if n.Kind == relay.KindRun && n.Run != nil {
		return n.Run.Event != wire.EventDelta && n.Run.Event != wire.EventReceipt
	}
	return n.Kind == relay.KindServer
}

// listPanel keeps the first page of the list up to date.
func (p *Pages) listPanel(c echo.Context, _ string) live.Topic {
	return &live.Panel{Now: p.Now, Matters: moves, Draw: func(ctx context.Context) (templ.Component, error) {
		props, err := p.listProps(ctx, c)
		return views.PushList(props), err
	}}
}

// onePanel keeps a schedule and the newest page of its history up to date.
func (p *Pages) onePanel(c echo.Context, _ string) live.Topic {
	return &live.Panel{Now: p.Now, Matters: moves, Draw: func(ctx context.Context) (templ.Component, error) {
		props, err := p.oneProps(ctx, c, c.QueryParam("id"))
		return views.PushOne(props), err
	}}
}
