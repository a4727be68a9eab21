package public_test

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
)

// areas are a page of the portal and one of the console, to see who gets in.
func areas() []web.Route {
	who := func(c echo.Context) error { return c.String(http.StatusOK, "inside as "+session.Of(c).Email) }
	return []web.Route{
		{Method: "GET", Path: "/app", For: web.Customer, Right: account.Look, Do: who},
		{Method: "POST", Path: "/app/risky", For: web.Customer, Right: account.Look, Fresh: true, Do: who},
		{Method: "GET", Path: "/app/token", For: web.Customer, Right: account.Look, Do: func(c echo.Context) error {
			return c.String(http.StatusOK, session.CSRF(c))
		}},
		{Method: "GET", Path: "/admin", For: web.Staff, Needs: staff.Own, Do: who},
		{Method: "GET", Path: "/admin/token", For: web.Staff, Needs: staff.Own, Do: func(c echo.Context) error {
			return c.String(http.StatusOK, session.CSRF(c))
		}},
	}
}
