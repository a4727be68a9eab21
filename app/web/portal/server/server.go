package server

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/graph"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/health"
	"gatehouse/app/web/portal/live"
	"gatehouse/views/chart"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/sshkey"

	views "gatehouse/views/portal/server"
)

// page answers GET /app/server: how the customer's machine is, and what protects it.
func (p *Pages) page(c echo.Context) error {
	typed := web.TakeTyped(c, sshkey.Path)
	return p.show(c, http.StatusOK, sshkey.Props{Typed: typed, Again: typed != ""})
}

// show is the page with what was typed for the SSH key, and what is wrong with it.
func (p *Pages) show(c echo.Context, status int, typed sshkey.Props) error {
	wait, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	var h views.HealthProps
	var key wire.SecretOpening
	var group errgroup.Group
	group.Go(func() (err error) { h, err = p.health(c.Request().Context(), frame.Customer(c)); return err })
	group.Go(func() (err error) {
		if key, err = p.Secrets.Open(wait, frame.Customer(c), wire.SecretOpenParams{}); frame.IsOurs(err) {
			return err
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.server.title"), Topic: "server", Away: h.Away})
	if err != nil {
		return err
	}
	charts, err := p.charts(c)
	if err != nil {
		return err
	}
	copies, err := p.snapshots(c)
	if err != nil {
		return err
	}
	ssh, err := p.adminKey(c, typed)
	if err != nil {
		return err
	}
	outer.Failed = typed.Problem != ""
	seal := views.SealKeyProps{Fingerprint: key.Fingerprint, MadeAt: key.MadeAt}
	return web.Render(c, status, views.Page(outer, h, charts, views.Rest{Seal: seal, Copies: copies, SSH: ssh}))
}

// charts is what the server measured; a customer without a server has measured nothing.
func (p *Pages) charts(c echo.Context) (chart.Props, error) {
	v, err := p.Charts.ChartOf(c.Request().Context(), frame.Customer(c), graph.SpanOf(c.QueryParam("span")))
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		return chart.Props{}, err
	}
	return graph.Of(v, portal.Server), nil
}

// health is how the machine is. It is asked something, for a link may stand with nobody behind it who answers.
func (p *Pages) health(ctx context.Context, of account.CustomerID) (views.HealthProps, error) {
	wait, cancel := frame.Asking(ctx)
	defer cancel()
	_, unheard := p.Chat.Agents(wait, of)
	if frame.IsOurs(unheard) {
		return views.HealthProps{}, unheard
	}
	srv, err := p.Frames.Server(ctx, of)
	if err != nil {
		return views.HealthProps{}, err
	}
	return health.Of(srv, srv.Registered() && frame.IsAway(unheard)), nil
}

// panel keeps the page up to date.
func (p *Pages) panel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return &live.Panel{
		Now:     p.Now,
		Matters: func(n relay.Notice) bool { return n.Kind == relay.KindServer || n.Kind == relay.KindConfig },
		Draw: func(ctx context.Context) (templ.Component, error) {
			h, err := p.health(ctx, of)
			return views.Push(h), err
		},
	}
}
