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
	wait, cancel := reading(c)
	defer cancel()
	key, heard := p.Credentials.Open(wait, customer(c), wire.SecretOpenParams{})
	if f := fault.Of(heard); heard != nil && f.Kind == fault.Internal {
		return heard
	}
	h, err := p.health(c.Request().Context(), customer(c), heard)
	if err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.server.title"), topic: "server", away: h.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ServerPage(frame, h, views.SealKeyProps{Fingerprint: key.Fingerprint, MadeAt: key.MadeAt}))
}

// health is how the machine is; heard is what came of asking it, for a link may stand with nobody behind it who answers.
func (p *Portal) health(ctx context.Context, of account.CustomerID, heard error) (views.HealthProps, error) {
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
			wait, cancel := asking(ctx)
			defer cancel()
			_, heard := p.Chat.Agents(wait, of)
			h, err := p.health(ctx, of, heard)
			return views.PushServer(h), err
		},
	}
}
