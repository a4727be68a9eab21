package account

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
	"gatehouse/views/ui"
)

// settings answers GET /app/settings: time zone, colours, sign-ins and API tokens.
func (p *Pages) settings(c echo.Context) error {
	return p.showSettings(c, http.StatusOK, views.SettingsProps{})
}

// showSettings fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showSettings(c echo.Context, status int, props views.SettingsProps) error {
	who := session.Of(c)
	if err := p.fillSettings(c.Request().Context(), frame.Customer(c), who, &props); err != nil {
		return err
	}
	var err error
	if props.Confirm, err = frame.Unconfirmed(c, p.People, portal.Settings); err != nil {
		return err
	}
	if who.Rights().May(account.Manage) {
		if props.Recovery, err = frame.Unwritten(c.Request().Context(), p.Keys, frame.Customer(c)); err != nil {
			return err
		}
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.settings.title")})
	if err != nil {
		return err
	}
	outer.Failed = len(props.Problems) > 0
	return web.Render(c, status, views.SettingsPage(outer, props))
}

func (p *Pages) fillSettings(ctx context.Context, of account.CustomerID, who session.Who, props *views.SettingsProps) error {
	tokens, err := p.Tokens.List(ctx, of)
	if err != nil {
		return err
	}
	props.Email, props.Name, props.Business, props.Role = who.Email, who.Name, who.Business, who.Role
	if props.Zone == "" {
		props.Zone = who.TimeZone
	}
	for _, t := range tokens {
		if !mine(who, t) {
			continue
		}
		props.Tokens = append(props.Tokens, ui.AccessKey{
			Name: t.Name, Hint: t.Hint, Created: t.CreatedAt, Used: t.UsedAt, Expires: t.ExpiresAt, Revoke: views.RevokeTokenPath(t.ID),
		})
	}
	return nil
}

// mine says whether a token may be seen and ended by who: owners see all of the business, others their own.
func mine(who session.Who, t account.Token) bool {
	return who.Rights().May(account.Manage) || string(t.UserID) == who.UserID
}

// saveZone answers POST /app/settings/time-zone.
func (p *Pages) saveZone(c echo.Context) error {
	zone := c.FormValue("zone")
	err := p.People.SetTimeZone(c.Request().Context(), frame.Customer(c), zone, actor(c))
	if err != nil && fault.Of(err).Kind == fault.Invalid {
		return p.showSettings(c, http.StatusUnprocessableEntity, views.SettingsProps{
			Zone: zone, Problems: map[string]string{"zone": i18n.T(web.Context(c), "portal.settings.zone_unknown")},
		})
	}
	if err != nil {
		return err
	}
	session.Anew(c)
	text := i18n.T(web.Context(c), "portal.settings.zone_saved", "zone", zone)
	if was := session.Of(c).TimeZone; was != "" && was != zone {
		web.FlashUndo(c, text, web.Undo{Path: views.ZonePath, Fields: map[string]string{"zone": was}})
	} else {
		web.Flash(c, "ok", text)
	}
	return frame.GoTo(c, portal.Settings)
}

func actor(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}
