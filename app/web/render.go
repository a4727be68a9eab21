package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/public"
	"gatehouse/views/ui"
)

// Render answers with the page or fragment. It is rendered in full first, so that an error in a view still gives a
// clean error page.
func Render(c echo.Context, status int, view templ.Component) error {
	buf := templ.GetBuffer()
	defer templ.ReleaseBuffer(buf)
	if err := view.Render(viewContext(c), buf); err != nil {
		return fmt.Errorf("render view: %w", err)
	}
	c.Response().Header().Add(echo.HeaderVary, headerType)
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(buf.Len())) // in one piece instead of many chunks
	return c.HTMLBlob(status, buf.Bytes())
}

// headerType tells that htmx swaps part of a page and wants no whole one.
const headerType = "HX-Request-Type"

// IsPartial says whether htmx asks for a fragment. It chooses the shape of an answer, never what is allowed.
func IsPartial(c echo.Context) bool {
	return c.Request().Header.Get(headerType) == "partial"
}

// Swap answers a POST: the changed fragment to htmx, a 303 to path to a plain form.
func Swap(c echo.Context, path string, view templ.Component) error {
	if IsPartial(c) {
		return Render(c, http.StatusOK, view)
	}
	return SeeOther(c, path)
}

// SeeOther answers a POST with the page to look at next.
func SeeOther(c echo.Context, path string) error {
	return c.Redirect(http.StatusSeeOther, path)
}

// viewContext carries what every view may need of the request.
func viewContext(c echo.Context) context.Context {
	r := c.Request()
	view := ui.Request{
		CSRF: session.CSRF(c), Theme: Theme(c), Path: r.URL.Path, Now: now(c), Zone: session.Of(c).Zone(), Locale: locale(r), MailAt: mailAt(c),
	}
	switch who := session.Of(c); {
	case who.IsStaff() && routeOf(c).For == StaffPending:
		view.SignOut = public.StaffSecondOutPath
	case who.IsStaff(), session.Clerk(c).IsStaff():
		view.SignOut, view.Home, view.Staff = public.StaffSignOutPath, public.StaffPath, true
	case who.Signed():
		view.SignOut, view.Home = public.SignOutPath, public.PortalPath
	}
	return ui.With(r.Context(), view)
}

// locale is the pseudo-locale where a test asks for it, English else: there is one catalogue for now.
func locale(r *http.Request) string {
	if strings.HasPrefix(r.Header.Get("Accept-Language"), i18n.Pseudo) {
		return i18n.Pseudo
	}
	return i18n.English
}

const (
	clockKey = "gatehouse.clock"
	mailKey  = "gatehouse.mail"
)

// mailAt is where the mail of a demo can be read.
func mailAt(c echo.Context) string {
	path, _ := c.Get(mailKey).(string)
	return path
}

// now is the hub's clock, from which pages tell relative times.
func now(c echo.Context) time.Time {
	clock, ok := c.Get(clockKey).(func() time.Time)
	if !ok {
		return time.Time{}
	}
	return clock()
}
