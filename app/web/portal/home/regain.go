package home

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
)

// stopRegain answers POST /app/regain/stop: anyone of the business stops the case that lets an owner back in.
func (p *Pages) stopRegain(c echo.Context) error {
	who := session.Of(c)
	by := audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
	if err := p.Regain.Stop(c.Request().Context(), frame.Customer(c), c.FormValue("case"), by); err != nil {
		return err
	}
	frame.Said(c, "regain.now_stopped")
	return web.SeeOther(c, portal.Home)
}
