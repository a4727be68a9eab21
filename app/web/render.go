package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web/session"
	"gatehouse/static"
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
	head, body := c.Response().Header(), buf.Bytes()
	head.Add(echo.HeaderVary, headerType)
	if isPublic(c) {
		head.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
		var coding string
		if body, coding = static.Compress(body, c.Request().Header.Get(echo.HeaderAcceptEncoding)); coding != "" {
			head.Set(echo.HeaderContentEncoding, coding)
		}
	}
	head.Set(echo.HeaderContentLength, strconv.Itoa(len(body))) // in one piece instead of many chunks
	return c.HTMLBlob(status, body)
}

// isPublic reports whether a page is the same for everybody: only then is it compressed. Any other page holds a secret, the
// field that its forms carry, and the length of a compressed page would tell of it.
func isPublic(c echo.Context) bool {
	return routeOf(c).Cache && session.CSRF(c) == "" && !session.Of(c).Signed() && !session.Clerk(c).IsStaff()
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
		CSRF: session.CSRF(c), Theme: Theme(c), Path: r.URL.Path, Now: now(c), Zone: session.Of(c).Zone(),
		Locale: locale(c), MailAt: mailAt(c), Operator: operator(c),
	}
	switch who := session.Of(c); {
	case who.IsStaff() && routeOf(c).For == StaffPending:
		view.SignOut = public.StaffSecondOutPath
	case routeOf(c).For == CustomerHalf:
		view.SignOut = public.SecondOutPath
	case who.IsStaff(), session.Clerk(c).IsStaff():
		view.SignOut, view.Home, view.Staff = public.StaffSignOutPath, public.StaffPath, true
	case who.Signed():
		view.Lacks = lacks(who.Rights())
		view.SignOut, view.Home = public.SignOutPath, public.PortalPath
	}
	return ui.With(r.Context(), view)
}

func lacks(r account.Rights) ui.Lacks {
	return ui.Lacks{Manage: !r.May(account.Manage), Chat: !r.May(account.Chat), Approve: !r.May(account.Approve)}
}

// locale is the language of the answer: the one chosen in this browser, else the account's, else the one that the browser
// prefers.
func locale(c echo.Context) string {
	if l := chosenLanguage(c); l != "" {
		return l
	}
	if l := session.Of(c).Locale; l != "" {
		return l
	}
	return i18n.Match(c.Request().Header.Get("Accept-Language"))
}

const (
	clockKey = "gatehouse.clock"
	mailKey  = "gatehouse.mail"

	operatorKey = "gatehouse.operator"
)

// mailAt is where the mail of a demo can be read.
func mailAt(c echo.Context) string {
	path, _ := c.Get(mailKey).(string)
	return path
}

// operator is who runs this hub.
func operator(c echo.Context) ui.Operator {
	o, _ := c.Get(operatorKey).(ui.Operator)
	return o
}

// now is the hub's clock, from which pages tell relative times.
func now(c echo.Context) time.Time {
	clock, ok := c.Get(clockKey).(func() time.Time)
	if !ok {
		return time.Time{}
	}
	return clock()
}
