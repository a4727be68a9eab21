package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	views "gatehouse/views/public"
)

// errorPage shows a fault as a page: what happened, what was kept, where to go on, and the id that support asks for.
func errorPage(c echo.Context, status int, f *fault.Fault) error {
	p := views.ErrorProps{Status: status, Text: f.Public, RequestID: RequestID(c), Retry: retryOf(c, f)}
	return Render(c, status, views.Error(viewContext(c), p))
}

// retryOf is the address of a page that may work the next time. What was posted is never offered to be sent again.
func retryOf(c echo.Context, f *fault.Fault) string {
	passes := f.Kind == fault.Internal || f.Kind == fault.Away || f.Kind == fault.TooMany
	if c.Request().Method != http.MethodGet || !passes {
		return ""
	}
	return c.Request().URL.RequestURI()
}
