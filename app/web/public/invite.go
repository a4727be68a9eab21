package public

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	views "gatehouse/views/public"
)

// askMember answers GET /auth/invite/:token. It uses nothing up: mail programs open links by themselves.
func (h *Handler) askMember(c echo.Context) error { return h.showMember(c, http.StatusOK, nil) }

func (h *Handler) showMember(c echo.Context, status int, bad error) error {
	i, err := h.Accounts.PeekInvitation(c.Request().Context(), c.Param("token"))
	if err != nil {
		return h.orInviteGone(c, err)
	}
	return web.Render(c, status, views.Invite(h.frame(c), views.InviteProps{
		Action: views.InvitePath(c.Param("token")), By: i.InviterName, ByEmail: i.InviterEmail, Business: i.Business, Email: i.Email,
		Chat: i.Chat, Approve: i.Approve, Name: c.FormValue("name"), SignedIn: session.Of(c).Email, Problems: problems(c, bad),
	}))
}

// joinAsMember answers POST /auth/invite/:token: the invited person is one of the business, and signed in.
func (h *Handler) joinAsMember(c echo.Context) error {
	u, err := h.Accounts.Join(c.Request().Context(), c.Param("token"), account.Join{
		Name: c.FormValue("name"), Password: c.FormValue("password"), Locale: i18n.LocaleOf(web.Context(c)), Address: c.RealIP(),
	})
	switch {
	case errors.Is(err, account.ErrJoinTaken):
		return h.showMember(c, http.StatusConflict, err)
	case err != nil && fault.Of(err).Kind == fault.Invalid:
		return h.showMember(c, http.StatusUnprocessableEntity, err)
	case err != nil:
		return h.orInviteGone(c, err)
	}
	web.Flash(c, "ok", i18n.T(web.Context(c), "public.invite.done", "name", u.Name))
	if u.Role == account.Owner { // of a business that has ordered nothing yet
		return h.enterAs(c, u, views.OnboardPath)
	}
	return h.enterAs(c, u, views.PortalPath)
}

// orInviteGone shows the page of an invitation that does not work any more.
func (h *Handler) orInviteGone(c echo.Context, err error) error {
	if !errors.Is(err, account.ErrInvitation) {
		return err
	}
	return web.Render(c, http.StatusGone, views.InviteGone(h.frame(c)))
}
