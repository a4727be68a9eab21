package admin

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// profile answers GET /admin/profile: the reader's own account.
func (h *Handler) profile(c echo.Context) error {
	return h.showProfile(c, http.StatusOK, views.Profile{})
}

// showProfile fills p in and shows it; what is set already is what a form brought.
func (h *Handler) showProfile(c echo.Context, status int, p views.Profile) error {
	ctx := c.Request().Context()
	m, err := h.Staff.Get(ctx, self(c))
	if err != nil {
		return err
	}
	p.Member, p.SecondAt = memberProps(c, m), m.SecondAt
	if p.Member.Codes, err = h.Staff.CodesLeft(ctx, m.ID); err != nil {
		return err
	}
	if p.Signins, err = signins(c); err != nil {
		return err
	}
	if p.Passkeys, err = h.passkeys(c); err != nil {
		return err
	}
	if p.Name == "" && p.Problems["name"] == "" {
		p.Name = m.Name
	}
	p.Language = i18n.LocaleOf(web.Context(c))
	f, err := h.frame(c, "staff.profile.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.ProfilePage(f, p))
}

// self is who asks.
func self(c echo.Context) staff.ID { return staff.ID(session.Of(c).StaffID) }

// refused shows the profile again where the reader can mend what a form brought.
func (h *Handler) refused(c echo.Context, err error, p views.Profile) error {
	f := web.Told(c, err)
	if f.Kind != fault.Invalid || len(f.Fields) == 0 {
		return err
	}
	p.Problems = f.Fields
	return h.showProfile(c, http.StatusUnprocessableEntity, p)
}

// saveName answers POST /admin/profile/name.
func (h *Handler) saveName(c echo.Context) error {
	m, err := h.Staff.SetName(c.Request().Context(), self(c), c.FormValue("name"), actorOf(c))
	if err != nil {
		return h.refused(c, err, views.Profile{Name: c.FormValue("name")})
	}
	session.Anew(c)
	said(c, "staff.said.name", "name", m.Name)
	return web.SeeOther(c, views.ProfilePath)
}

// saveLanguage answers POST /admin/profile/language: pages on every device and mails come in it, and in this browser at once.
func (h *Handler) saveLanguage(c echo.Context) error {
	ctx, locale := c.Request().Context(), c.FormValue("language")
	if !i18n.Offered(locale) {
		return h.showProfile(c, http.StatusUnprocessableEntity, views.Profile{
			Problems: map[string]string{"language": i18n.T(web.Context(c), "portal.settings.language_unknown")},
		})
	}
	if _, err := h.Staff.SetLocale(ctx, self(c), locale, actorOf(c)); err != nil {
		return err
	}
	web.KeepLanguage(c, locale)
	session.Anew(c)
	web.Flash(c, "ok", i18n.T(i18n.With(ctx, locale), "staff.said.language"))
	return web.SeeOther(c, views.ProfilePath)
}

// savePassword answers POST /admin/profile/password. It ends every sign-in; this browser is signed in anew.
func (h *Handler) savePassword(c echo.Context) error {
	in := staff.NewPassword{Old: c.FormValue("old"), New: c.FormValue("new")}
	if err := h.Staff.SetPassword(c.Request().Context(), self(c), in, actorOf(c)); err != nil {
		return h.refused(c, err, views.Profile{})
	}
	return h.again(c, "staff.said.password")
}

// again signs this browser in anew after a change that has ended all sign-ins.
func (h *Handler) again(c echo.Context, key i18n.Key) error {
	who := signin.Subject{StaffID: string(self(c))}
	session.Changed(c, who)
	if err := h.Sessions.Open(c, signin.Staff, who); err != nil {
		return err
	}
	said(c, key)
	return web.SeeOther(c, views.ProfilePath)
}

// newCodes answers POST /admin/profile/codes. The page that answers is the only place where the codes ever stand.
func (h *Handler) newCodes(c echo.Context) error {
	codes, err := h.Staff.NewCodes(c.Request().Context(), self(c), actorOf(c))
	if err != nil {
		return err
	}
	f, err := h.frame(c, "staff.codes.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.NewCodesPage(f, codes))
}

// startSecond answers POST /admin/profile/second.
func (h *Handler) startSecond(c echo.Context) error {
	if err := h.Staff.StartSecond(c.Request().Context(), self(c), actorOf(c)); err != nil {
		return err
	}
	return web.SeeOther(c, views.SecondPath)
}

// newSecond answers GET /admin/profile/second: what the app has to learn, and where its first code is typed.
func (h *Handler) newSecond(c echo.Context) error { return h.showSecond(c, http.StatusOK, nil) }

func (h *Handler) showSecond(c echo.Context, status int, problems []ui.Problem) error {
	factor, err := h.Staff.NextSecond(c.Request().Context(), self(c))
	if fault.Of(err).Kind == fault.Conflict {
		return web.SeeOther(c, views.ProfilePath) // nothing was started, or it is done
	}
	if err != nil {
		return err
	}
	f, err := h.frame(c, "staff.app.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(problems) > 0
	return web.Render(c, status, views.NewSecondPage(f, views.NewSecond{
		Key: factor.Secret, Link: factor.URL(session.Of(c).Email), Problems: problems,
	}))
}

// confirmSecond answers POST /admin/profile/second/confirm. It ends every sign-in; this browser is signed in anew.
func (h *Handler) confirmSecond(c echo.Context) error {
	err := h.Staff.ConfirmSecond(c.Request().Context(), self(c), c.FormValue("code"), actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showSecond(c, http.StatusUnprocessableEntity, problemsOf(f, "code"))
	}
	if err != nil {
		return err
	}
	return h.again(c, "staff.said.own_second")
}

// endSignin answers POST /admin/profile/sign-ins: one of the reader's other sign-ins, or without an id all of them.
func (h *Handler) endSignin(c echo.Context) error {
	which := signin.Which{Only: c.FormValue("id"), But: session.Of(c).SigninID}
	if which.Only != "" {
		if which.But = ""; uuid.Validate(which.Only) != nil {
			return errNotFound
		}
	}
	n, err := session.End(c, which, audit.Entry{By: actorOf(c), Action: "signin.end", Target: which.Only})
	switch {
	case err != nil:
		return err
	case n == 0 && which.Only != "":
		return errNotFound // it has ended, or is somebody else's
	}
	said(c, "staff.said.signed_out")
	return web.SeeOther(c, views.ProfilePath+"#sign-ins")
}

// signins are the live sign-ins of the reader.
func signins(c echo.Context) ([]views.Signin, error) {
	all, err := session.List(c)
	var out []views.Signin
	for _, s := range all {
		out = append(out, views.Signin{
			ID: s.ID, Address: s.Address, Device: device(web.Context(c), s), Since: s.CreatedAt, Seen: s.SeenAt,
			This: s.ID == session.Of(c).SigninID,
		})
	}
	return out, err
}

// device is a browser in words.
func device(ctx context.Context, s signin.Signin) string {
	switch browser, system := s.Device(); {
	case browser != "" && system != "":
		return i18n.T(ctx, "portal.signin.browser_on", "browser", browser, "system", system)
	case browser+system != "":
		return browser + system
	}
	return i18n.T(ctx, "portal.signin.unknown")
}
