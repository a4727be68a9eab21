package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// signOut answers POST /auth/sign-out.
func (h *Handler) signOut(c echo.Context) error {
	return h.leave(c, signin.Customer, views.SignedOutPath)
}

// staffSignOut answers POST /admin/auth/sign-out.
func (h *Handler) staffSignOut(c echo.Context) error {
	return h.leave(c, signin.Staff, views.StaffOutDonePath)
}

// giveUp answers POST /admin/auth/2fa/sign-out: who gave the password does not go on to the code.
func (h *Handler) giveUp(c echo.Context) error {
	return h.leave(c, signin.Pending, views.StaffOutDonePath)
}

func (h *Handler) leave(c echo.Context, kind signin.Kind, then string) error {
	if err := h.Sessions.Close(c, kind); err != nil {
		return err
	}
	return web.SeeOther(c, then)
}

// signOutEverywhere answers POST /auth/sign-out-everywhere.
func (h *Handler) signOutEverywhere(c echo.Context) error {
	return h.leaveAll(c, signin.Customer, views.SignedOutPath)
}

// staffSignOutEverywhere answers POST /admin/auth/sign-out-everywhere.
func (h *Handler) staffSignOutEverywhere(c echo.Context) error {
	return h.leaveAll(c, signin.Staff, views.StaffOutDonePath)
}

// leaveAll ends every sign-in of the person, this one included.
func (h *Handler) leaveAll(c echo.Context, kind signin.Kind, then string) error {
	who := session.Of(c)
	subject := signin.Subject{CustomerID: who.CustomerID, UserID: who.UserID, StaffID: who.StaffID}
	if _, err := h.Sessions.CloseAll(c.Request().Context(), subject, ""); err != nil {
		return err
	}
	return h.leave(c, kind, then+"?everywhere=1")
}

// signedOut answers GET /auth/signed-out.
func (h *Handler) signedOut(c echo.Context) error {
	return h.showSignedOut(c, views.SignInPath)
}

// staffSignedOut answers GET /admin/auth/signed-out.
func (h *Handler) staffSignedOut(c echo.Context) error {
	return h.showSignedOut(c, views.StaffSignInPath)
}

func (h *Handler) showSignedOut(c echo.Context, signInPath string) error {
	p := views.SignedOutProps{SignIn: signInPath, Everywhere: c.QueryParam("everywhere") != ""}
	return web.Render(c, http.StatusOK, views.SignedOut(p))
}
