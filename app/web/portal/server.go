package portal

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/server"
)

// server answers GET /app/server: how the customer's machine is, and what protects it.
func (p *Portal) server(c echo.Context) error {
	wait, cancel := reading(c)
	defer cancel()
	var h views.HealthProps
	var key wire.SecretOpening
	var group errgroup.Group
	group.Go(func() (err error) { h, err = p.health(c.Request().Context(), customer(c)); return err })
	group.Go(func() (err error) {
		if key, err = p.Credentials.Open(wait, customer(c), wire.SecretOpenParams{}); ours(err) {
			return err
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.server.title"), topic: "server", away: h.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(frame, h, views.SealKeyProps{Fingerprint: key.Fingerprint, MadeAt: key.MadeAt}))
}

// health is how the machine is. It is asked something, for a link may stand with nobody behind it who answers.
func (p *Portal) health(ctx context.Context, of account.CustomerID) (views.HealthProps, error) {
	wait, cancel := asking(ctx)
	defer cancel()
	_, heard := p.Chat.Agents(wait, of)
	if ours(heard) {
		return views.HealthProps{}, heard
	}
	srv, err := p.serverOf(ctx, of)
	if err != nil {
		return views.HealthProps{}, err
	}
	return healthOf(srv, srv.Registered() && isAway(heard)), nil
}

func (p *Portal) serverPanel(_ echo.Context, of account.CustomerID) topic {
	return &panel{
		now:     p.Now,
		matters: func(n relay.Notice) bool { return n.Kind == relay.KindServer || n.Kind == relay.KindConfig },
		draw: func(ctx context.Context) (templ.Component, error) {
			h, err := p.health(ctx, of)
			return views.Push(h), err
		},
	}
}
