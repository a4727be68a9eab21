package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/passkey"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	views "gatehouse/views/public"
)

// passkeyRoutes sign in with a passkey: it stands for password and second step, for the authenticator has checked who is there.
func (h *Handler) passkeyRoutes() []web.Route {
	at := func(path string, who web.Audience, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: who, Limit: web.LimitSignIn, Do: do}
	}
	return []web.Route{
		at(views.PasskeyBeginPath, web.Anyone, h.beginPasskey(passkey.User)), at(views.PasskeyPath, web.Anyone, h.passkeySignIn),
		at(views.StaffPasskeyBeginPath, web.Open, h.beginPasskey(passkey.Staff)),
		at(views.StaffPasskeyPath, web.Open, h.staffPasskeySignIn),
	}
}

// beginPasskey answers POST /auth/passkey/begin and the same of our staff, which the script sends.
func (h *Handler) beginPasskey(k passkey.Kind) echo.HandlerFunc {
	return func(c echo.Context) error {
		asked, err := h.Passkeys.BeginEnter(c.Request().Context(), k)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, asked)
	}
}

// passkeySignIn answers POST /auth/passkey.
func (h *Handler) passkeySignIn(c echo.Context) error {
	who, err := h.Passkeys.FinishEnter(c.Request().Context(), passkey.User, c.FormValue("challenge"), c.FormValue("answer"))
	if err != nil {
		return refuseSignIn(c, err, h.showSignIn)
	}
	if err := h.Sessions.Open(c, signin.Customer, signin.Subject{CustomerID: who.CustomerID, UserID: who.ID}); err != nil {
		return err
	}
	return web.SeeOther(c, web.LocalPath(c.FormValue("next"), views.PortalPath))
}

// staffPasskeySignIn answers POST /admin/auth/passkey.
func (h *Handler) staffPasskeySignIn(c echo.Context) error {
	who, err := h.Passkeys.FinishEnter(c.Request().Context(), passkey.Staff, c.FormValue("challenge"), c.FormValue("answer"))
	if err != nil {
		return refuseSignIn(c, err, h.showStaffSignIn)
	}
	if err := h.Sessions.Open(c, signin.Staff, signin.Subject{StaffID: who.ID}); err != nil {
		return err
	}
	return web.SeeOther(c, staffNext(c))
}
