package portal

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal"
)

// server answers GET /app/server: how the customer's machine is, and what protects it.
func (p *Portal) server(c echo.Context) error {
	h, err := p.health(c.Request().Context(), customer(c))
	if err != nil {
		return err
	}
	key, err := p.Credentials.Open(c.Request().Context(), customer(c), wire.SecretOpenParams{})
	if f := fault.Of(err); err != nil && f.Kind == fault.Internal {
		return err
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.server.title"), topic: "server"})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ServerPage(frame, h, views.SealKeyProps{Fingerprint: key.Fingerprint, MadeAt: key.MadeAt}))
}

func (p *Portal) health(ctx context.Context, of account.CustomerID) (views.HealthProps, error) {
	srv, err := p.serverOf(ctx, of)
	if err != nil {
		return views.HealthProps{}, err
	}
	return healthOf(srv, p.gone(ctx, srv)), nil
}

func (p *Portal) serverPanel(_ echo.Context, of account.CustomerID) topic {
	return &panel{
		now:     p.Now,
		matters: func(n relay.Notice) bool { return n.Kind == relay.KindServer || n.Kind == relay.KindConfig },
		draw: func(ctx context.Context) (templ.Component, error) {
			h, err := p.health(ctx, of)
			return views.PushServer(h), err
		},
	}
}
