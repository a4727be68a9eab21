package admin

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/billing/rates"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Rates is what the console needs of exchange rates; rates.Service has it.
type Rates interface {
	State(ctx context.Context) (rates.State, error)
	Fetch(ctx context.Context, by audit.Actor) (rates.Look, error)
}

// rateProps is where exchange rates come from, for the page of prices.
func (h *Handler) rateProps(c echo.Context) (views.Rates, error) {
	s, err := h.Rates.State(c.Request().Context())
	return views.Rates{
		On: s.On, At: s.Last.At, Day: s.Last.Day, Problem: string(s.Last.Problem), Offered: int64(s.Last.Offered), Next: s.Next,
	}, err
}

// fetchRate answers POST /admin/prices/rate: looks for an exchange rate now.
func (h *Handler) fetchRate(c echo.Context) error {
	if _, err := h.Rates.Fetch(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	said(c, "price.rate_fetched")
	return web.SeeOther(c, views.PricesPath+"#rate")
}
