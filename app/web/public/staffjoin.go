package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// askJoin answers GET /admin/auth/invite/:token. It uses nothing up: mail programs open links by themselves.
func (h *Handler) askJoin(c echo.Context) error { return h.showJoin(c, http.StatusOK, nil) }

func (h *Handler) showJoin(c echo.Context, status int, wrong error) error {
	i, factor, err := h.Staff.Invited(c.Request().Context(), c.Param("token"))
	if err != nil {
		return staffLinkGone(c, err)
	}
	return web.Render(c, status, views.Join(h.frame(c), views.JoinProps{
		Action: views.StaffJoinPath(c.Param("token")), Email: i.Email, By: i.ByName, Role: string(i.Role), Name: c.FormValue("name"),
		Key: factor.Secret, Link: factor.URL(i.Email), Problems: problems(c, wrong),
	}))
}

// staffLinkGone says what to do about a link that does not work any more.
func staffLinkGone(c echo.Context, err error) error {
	if fault.Of(err).Kind != fault.Gone {
		return err
	}
	return web.Render(c, http.StatusGone, views.StaffLinkGone(web.Told(c, err).Public))
}

// join answers POST /admin/auth/invite/:token. The page that answers is the only place where the backup codes ever stand.
func (h *Handler) join(c echo.Context) error {
	in := staff.Joining{Name: c.FormValue("name"), Password: c.FormValue("password"), Code: c.FormValue("code")}
	m, codes, err := h.Staff.Join(c.Request().Context(), c.Param("token"), in, c.RealIP())
	if err != nil && fault.Of(err).Kind == fault.Invalid {
		return h.showJoin(c, http.StatusUnprocessableEntity, err)
	}
	if err != nil {
		return staffLinkGone(c, err)
	}
	return h.welcome(c, m, codes)
}

// welcome signs one of the staff in and shows their backup codes.
func (h *Handler) welcome(c echo.Context, m staff.Member, codes []string) error {
	if err := h.Sessions.Open(c, signin.Staff, signin.Subject{StaffID: string(m.ID)}); err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Codes(codes))
}

// askSetUp answers GET /admin/auth/second/:token.
func (h *Handler) askSetUp(c echo.Context) error { return h.showSetUp(c, http.StatusOK, nil) }

func (h *Handler) showSetUp(c echo.Context, status int, wrong error) error {
	m, factor, err := h.Staff.Reset(c.Request().Context(), c.Param("token"))
	if err != nil {
		return staffLinkGone(c, err)
	}
	return web.Render(c, status, views.SetUp(h.frame(c), views.SetUpProps{
		Action: views.StaffSetUpPath(c.Param("token")), Email: m.Email, Key: factor.Secret, Link: factor.URL(m.Email),
		Problems: problems(c, wrong),
	}))
}

// setUp answers POST /admin/auth/second/:token.
func (h *Handler) setUp(c echo.Context) error {
	m, codes, err := h.Staff.SetUp(c.Request().Context(), c.Param("token"), c.FormValue("password"), c.FormValue("code"), c.RealIP())
	switch {
	case err == nil:
		return h.welcome(c, m, codes)
	case fault.Of(err).Kind == fault.Gone:
		return staffLinkGone(c, err)
	}
	return refuseSignIn(c, err, h.showSetUp)
}

// askBackup answers GET /admin/auth/2fa/backup.
func (h *Handler) askBackup(c echo.Context) error { return h.showBackup(c, http.StatusOK, nil) }

func (h *Handler) showBackup(c echo.Context, status int, wrong error) error {
	p := views.BackupProps{Next: staffNext(c), Email: session.Of(c).Email, Problems: problems(c, wrong)}
	return web.Render(c, status, views.Backup(h.frame(c), p))
}

// backup answers POST /admin/auth/2fa/backup: a backup code does what one of the app does, once.
func (h *Handler) backup(c echo.Context) error {
	who := session.Of(c)
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	m, left, err := h.Staff.Backup(c.Request().Context(), staff.ID(who.StaffID), c.FormValue("code"), by)
	if err != nil {
		return refuseSignIn(c, err, h.showBackup)
	}
	if err := h.Sessions.Close(c, signin.Pending); err != nil {
		return err
	}
	if err := h.Sessions.Open(c, signin.Staff, signin.Subject{StaffID: string(m.ID)}); err != nil {
		return err
	}
	web.Flash(c, "warn", views.BackupUsed(web.Context(c), left))
	return web.SeeOther(c, staffNext(c))
}
