package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// askStaffSignIn answers GET /admin/auth/sign-in.
func (h *Handler) askStaffSignIn(c echo.Context) error {
	return h.showStaffSignIn(c, http.StatusOK, nil)
}

func (h *Handler) showStaffSignIn(c echo.Context, status int, err error) error {
	return web.Render(c, status, views.SignIn(h.frame(c), views.SignInProps{
		Staff: true, Next: staffNext(c), Email: c.FormValue("email"), Again: c.FormValue("again") != "", Problems: problems(c, err),
		Passkeys: h.Passkeys.Offered(),
	}))
}

// staffNext is where to go after signing in, within the console.
func staffNext(c echo.Context) string {
	return web.LocalPath(c.FormValue("next"), views.StaffPath)
}

// staffSignIn answers POST /admin/auth/sign-in: a right password opens the second step and nothing else.
func (h *Handler) staffSignIn(c echo.Context) error {
	m, err := h.Staff.Password(c.Request().Context(), c.FormValue("email"), c.FormValue("password"))
	if err != nil {
		return refuseSignIn(c, err, h.showStaffSignIn)
	}
	if err := h.Sessions.Open(c, signin.Pending, signin.Subject{StaffID: string(m.ID)}); err != nil {
		return err
	}
	return web.SeeOther(c, views.StaffSecondWith(staffNext(c)))
}

// askSecond answers GET /admin/auth/2fa.
func (h *Handler) askSecond(c echo.Context) error {
	return h.showSecond(c, http.StatusOK, nil)
}

func (h *Handler) showSecond(c echo.Context, status int, err error) error {
	p := views.SecondProps{Next: staffNext(c), Email: session.Of(c).Email, Problems: problems(c, err)}
	return web.Render(c, status, views.Second(h.frame(c), p))
}

// second answers POST /admin/auth/2fa: a right code turns the half-way sign-in into a whole one.
func (h *Handler) second(c echo.Context) error {
	m, err := h.Staff.Code(c.Request().Context(), staff.ID(session.Of(c).StaffID), c.FormValue("code"))
	if err != nil {
		return refuseSignIn(c, err, h.showSecond)
	}
	if err := h.Sessions.Close(c, signin.Pending); err != nil {
		return err
	}
	if err := h.Sessions.Open(c, signin.Staff, signin.Subject{StaffID: string(m.ID)}); err != nil {
		return err
	}
	return web.SeeOther(c, staffNext(c))
}
