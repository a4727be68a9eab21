package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	views "gatehouse/views/public"
)

// errorPage shows a fault as a page: what happened, what was kept, where to go on, and the id that support asks for.
func errorPage(c echo.Context, status int, f *fault.Fault) error {
	return Render(c, status, views.Error(views.ErrorProps{
		Status: status, Title: http.StatusText(status), Text: f.Public, RequestID: RequestID(c), Home: homeOf(c),
	}))
}

// homeOf is where a person on this page goes on: the portal, the console, or the landing page.
func homeOf(c echo.Context) string {
	path := c.Request().URL.Path
	for _, area := range []string{"/app", "/admin"} {
		if path == area || strings.HasPrefix(path, area+"/") {
			return area
		}
	}
	return "/"
}
