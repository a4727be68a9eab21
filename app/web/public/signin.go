package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// askSignIn answers GET /auth/sign-in. Who is signed in goes on at once, unless asked to prove it anew.
func (h *Handler) askSignIn(c echo.Context) error {
	again := c.QueryParam("again") != ""
	if session.Of(c).Signed() && !again {
		return web.SeeOther(c, web.LocalPath(c.QueryParam("next"), views.PortalPath))
	}
	return h.showSignIn(c, http.StatusOK, nil)
}

// showSignIn renders the page. It says the same whether or not the address is known.
func (h *Handler) showSignIn(c echo.Context, status int, err error) error {
	return web.Render(c, status, views.SignIn(h.frame(c), views.SignInProps{
		Next: web.LocalPath(c.FormValue("next"), views.PortalPath), Email: c.FormValue("email"),
		Again: c.FormValue("again") != "", Passkeys: h.Passkeys.Offered(), Problems: problems(c, err),
	}))
}

// signIn answers POST /auth/sign-in.
func (h *Handler) signIn(c echo.Context) error {
	user, err := h.Accounts.SignIn(c.Request().Context(), c.FormValue("email"), c.FormValue("password"))
	if err != nil {
		return refuseSignIn(c, err, h.showSignIn)
	}
	return h.enterAs(c, user, web.LocalPath(c.FormValue("next"), views.PortalPath))
}

// refuseSignIn shows the form again where the person can mend it; other errors are the error page's.
func refuseSignIn(c echo.Context, err error, show func(echo.Context, int, error) error) error {
	switch fault.Of(err).Kind {
	case fault.Unauthorized, fault.Invalid:
		return show(c, http.StatusUnprocessableEntity, err)
	case fault.TooMany:
		c.Response().Header().Set(echo.HeaderRetryAfter, "60")
		return show(c, http.StatusTooManyRequests, err)
	}
	return err
}
