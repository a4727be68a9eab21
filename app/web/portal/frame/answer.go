package frame

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// pageWait is how long a page waits for the customer's server; then it is shown without what only the server has.
const pageWait = 2500 * time.Millisecond

// Asking is the context in which a page asks the customer's server. What the page reads at the hub afterwards needs
// another one, for this one may be used up.
func Asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, pageWait)
}

// IsOurs reports whether an error is the hub's own. An answer that the server leaves out, refuses or fails at is not: a
// page can do without one part of it.
func IsOurs(err error) bool {
	f := fault.Of(err)
	return err != nil && f.Kind == fault.Internal && f.Code != "server-internal"
}

// IsAway reports whether the server could not be reached, as opposed to having refused.
func IsAway(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Kind == fault.Away
}

// ErrUnsealed refuses a download of files that no script asked for: only a browser that made a key can open what comes.
var ErrUnsealed = fault.New(fault.Invalid, "unsealed", "download without a key",
	"Files are encrypted on your server and opened in your browser, which needs JavaScript. Switch it on for this site and try again.")

// toast is a notice as the page shows it.
func toast(c echo.Context, said web.Notice) ui.Toast {
	t := ui.Toast{Kind: said.Kind, Text: said.Text}
	if said.Undo != nil {
		t.Undo = &ui.Undo{Action: said.Undo.Path, Label: i18n.T(web.Context(c), "portal.undo"), Fields: said.Undo.Fields}
	}
	if said.Link != nil {
		t.Link = &ui.Crumb{Label: said.Link.Label, Href: said.Link.Path}
	}
	return t
}

// Said leaves what is true now for the page that comes next.
func Said(c echo.Context, key i18n.Key, values ...any) {
	web.Flash(c, "ok", i18n.T(web.Context(c), key, values...))
}

// GoTo leads to another page after a form: htmx by its header, a plain form by a 303.
func GoTo(c echo.Context, path string) error {
	if !web.IsPartial(c) {
		return web.SeeOther(c, path)
	}
	c.Response().Header().Set("HX-Redirect", path)
	return c.NoContent(http.StatusOK)
}
