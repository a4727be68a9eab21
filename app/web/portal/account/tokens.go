package account

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// tokenLife is how long an API token is good for: long enough for a script, not for ever.
const tokenLife = 365 * 24 * time.Hour

// issueToken answers POST /app/settings/tokens. The page that answers is the only place where the token ever stands.
func (p *Pages) issueToken(c echo.Context) error {
	ctx, who := c.Request().Context(), session.Of(c)
	u, err := p.People.User(ctx, frame.Customer(c), account.UserID(who.UserID))
	if err != nil {
		return err
	}
	secret, _, err := p.Tokens.IssueToUser(ctx, u, c.FormValue("name"), tokenLife, actor(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showSettings(c, http.StatusUnprocessableEntity, views.SettingsProps{TokenName: c.FormValue("name"), Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	return p.showSettings(c, http.StatusOK, views.SettingsProps{Secret: secret})
}

// revokeToken answers POST /app/settings/tokens/:id/revoke.
func (p *Pages) revokeToken(c echo.Context) error {
	ctx, who := c.Request().Context(), session.Of(c)
	all, err := p.Tokens.List(ctx, frame.Customer(c))
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID == c.Param("id") && !mine(who, t) {
			return account.Refused(account.Manage)
		}
	}
	if err := p.Tokens.Revoke(ctx, frame.Customer(c), c.Param("id"), actor(c)); err != nil {
		return err
	}
	frame.Said(c, "portal.settings.token_ended")
	return web.SeeOther(c, portal.Settings+"#tokens")
}
