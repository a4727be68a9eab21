package admin

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// tokens answers GET /admin/tokens: one's own access keys, and those of all staff to those who manage staff.
func (h *Handler) tokens(c echo.Context) error {
	return h.showTokens(c, http.StatusOK, views.Tokens{})
}

func (h *Handler) showTokens(c echo.Context, status int, p views.Tokens) error {
	own, others, err := h.Tokens.Of(c.Request().Context(), actorOf(c))
	if err != nil {
		return err
	}
	p.Own, p.Others = keysOf(c, own), keysOf(c, others)
	p.Manages, p.Role, p.Lives = may(c, staff.StaffManage), session.Of(c).Role, staff.TokenLives()
	f, err := h.frame(c, "portal.tokens.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.TokensPage(f, p))
}

func keysOf(c echo.Context, tokens []account.StaffToken) []ui.AccessKey {
	var all []ui.AccessKey
	for _, t := range tokens {
		k := ui.AccessKey{Name: t.Name, Hint: t.Hint, Created: t.CreatedAt, Used: t.UsedAt, Expires: t.ExpiresAt}
		if t.StaffID != session.Of(c).StaffID {
			k.Whose = views.TokenOwner(web.Context(c), t.Email, t.Role)
		}
		if staff.Ends(t, actorOf(c)) {
			k.Revoke = views.RevokeTokenPath(t.ID)
		}
		all = append(all, k)
	}
	return all
}

// issueToken answers POST /admin/tokens/new. The page that answers is the only place where the key ever stands.
func (h *Handler) issueToken(c echo.Context) error {
	p := views.Tokens{Name: c.FormValue("name"), Life: c.FormValue("life")}
	days, _ := strconv.Atoi(p.Life) // what is no number is no choice of ours
	secret, err := h.Tokens.Issue(c.Request().Context(), p.Name, days, actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		p.Problems = f.Fields
		return h.showTokens(c, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	return h.showTokens(c, http.StatusOK, views.Tokens{Secret: secret})
}

// revokeToken answers POST /admin/tokens/:id/revoke.
func (h *Handler) revokeToken(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	t, err := h.Tokens.Revoke(c.Request().Context(), v, actorOf(c))
	if err != nil {
		return err
	}
	said(c, "admin.tokens.ended", "name", t.Name)
	return web.SeeOther(c, views.TokensPath)
}

// said leaves what is true now for the page that comes next.
func said(c echo.Context, key i18n.Key, values ...any) {
	web.Flash(c, "ok", i18n.T(web.Context(c), key, values...))
}
