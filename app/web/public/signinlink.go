package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	views "gatehouse/views/public"
)

// sendLink answers POST /auth/link: the same for every address.
func (h *Handler) sendLink(c echo.Context) error {
	if err := h.Accounts.AskSignIn(c.Request().Context(), c.FormValue("email")); err != nil {
		return refuseSignIn(c, err, h.showSignIn)
	}
	return web.SeeOther(c, views.LinkSentPath)
}

// linkSent answers GET /auth/link.
func (h *Handler) linkSent(c echo.Context) error {
	return web.Render(c, http.StatusOK, views.LinkSent(h.frame(c)))
}

// askLink answers GET /auth/link/:token with a button. It uses nothing up: mail programs open links by themselves.
func (h *Handler) askLink(c echo.Context) error {
	user, err := h.Accounts.PeekSignIn(c.Request().Context(), c.Param("token"))
	if err != nil {
		return h.orGone(c, err, views.SignInPath)
	}
	p := views.LinkProps{Action: views.LinkPath(c.Param("token")), Email: user.Email}
	return web.Render(c, http.StatusOK, views.LinkPage(h.frame(c), p))
}

// useLink answers POST /auth/link/:token.
func (h *Handler) useLink(c echo.Context) error {
	user, err := h.Accounts.SignInByLink(c.Request().Context(), c.Param("token"))
	if err != nil {
		return h.orGone(c, err, views.SignInPath)
	}
	return h.enterAs(c, user, views.PortalPath)
}
