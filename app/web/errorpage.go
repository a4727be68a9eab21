package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/views/i18n"
	views "gatehouse/views/public"
)

// errorPage shows a fault as a page: what happened, what was kept, where to go on, how to sign out, and the id that
// support asks for.
func (h *host) errorPage(c echo.Context, status int, f *fault.Fault) error {
	h.look(c)
	p := views.ErrorProps{Status: status, Text: i18n.Say(viewContext(c), f.Public), RequestID: RequestID(c), Retry: retryOf(c, f)}
	return Render(c, status, views.Error(viewContext(c), p))
}

// look notes who is signed in where no route matched, and so no guard has.
func (h *host) look(c echo.Context) {
	if routeOf(c).Path != "" {
		return
	}
	h.sessions.Look(c, strings.HasPrefix(c.Request().URL.Path, views.StaffPath+"/"))
}

// retryOf is the address of a page that may work the next time. What was posted is never offered to be sent again.
func retryOf(c echo.Context, f *fault.Fault) string {
	passes := f.Kind == fault.Internal || f.Kind == fault.Away || f.Kind == fault.TooMany
	if c.Request().Method != http.MethodGet || !passes {
		return ""
	}
	return c.Request().URL.RequestURI()
}
