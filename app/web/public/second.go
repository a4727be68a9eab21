package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// enterAs signs in somebody who proved who they are, and leads on to next; by way of the second step where it is on.
func (h *Handler) enterAs(c echo.Context, user account.User, next string) error {
	step, err := h.Seconds.Of(c.Request().Context(), user.CustomerID, user.ID)
	if err != nil {
		return err
	}
	who := signin.Subject{CustomerID: string(user.CustomerID), UserID: string(user.ID)}
	if !step.On() {
		if err := h.Sessions.Open(c, signin.Customer, who); err != nil {
			return err
		}
		return web.SeeOther(c, next)
	}
	if err := h.Sessions.Open(c, signin.CustomerPending, who); err != nil {
		return err
	}
	return web.SeeOther(c, views.SecondWith(next))
}

// askCode answers GET /auth/second.
func (h *Handler) askCode(c echo.Context) error { return h.showCode(c, http.StatusOK, nil) }

func (h *Handler) showCode(c echo.Context, status int, err error) error {
	p := views.SecondProps{
		Customer: true, Next: web.LocalPath(c.FormValue("next"), views.PortalPath), Email: session.Of(c).Email, Problems: problems(c, err),
	}
	return web.Render(c, status, views.Second(h.frame(c), p))
}

// code answers POST /auth/second: a right code turns the half-way sign-in into a whole one.
func (h *Handler) code(c echo.Context) error {
	who := session.Of(c)
	of, id := account.CustomerID(who.CustomerID), account.UserID(who.UserID)
	left, backup, err := h.Seconds.Check(c.Request().Context(), of, id, c.FormValue("code"))
	if err != nil {
		return refuseSignIn(c, err, h.showCode)
	}
	if err := h.Sessions.Close(c, signin.CustomerPending); err != nil {
		return err
	}
	if err := h.Sessions.Open(c, signin.Customer, signin.Subject{CustomerID: who.CustomerID, UserID: who.UserID}); err != nil {
		return err
	}
	if backup {
		web.Flash(c, "ok", views.BackupLeft(web.Context(c), left))
	}
	return web.SeeOther(c, web.LocalPath(c.FormValue("next"), views.PortalPath))
}

// leaveCode answers POST /auth/second/sign-out: who is half-way in does not go on to the code.
func (h *Handler) leaveCode(c echo.Context) error {
	return h.leave(c, signin.CustomerPending, views.SignedOutPath)
}
