package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// saveLanguage answers POST /app/settings/language: pages on every device and mails come in it, and in this browser at once.
func (p *Pages) saveLanguage(c echo.Context) error {
	ctx, locale := c.Request().Context(), c.FormValue("language")
	if !i18n.Offered(locale) {
		return p.showSettings(c, http.StatusUnprocessableEntity, views.SettingsProps{
			Problems: map[string]string{"language": i18n.T(web.Context(c), "portal.settings.language_unknown")},
		})
	}
	who := session.Of(c)
	if err := p.People.SetLocale(ctx, frame.Customer(c), account.UserID(who.UserID), locale, actor(c)); err != nil {
		return err
	}
	was := i18n.LocaleOf(web.Context(c))
	web.KeepLanguage(c, locale)
	session.Anew(c)
	text := i18n.T(i18n.With(ctx, locale), "portal.settings.language_saved")
	if was != locale {
		web.FlashUndo(c, text, web.Undo{Path: views.LanguagePath, Fields: map[string]string{"language": was}})
	} else {
		web.Flash(c, "ok", text)
	}
	return frame.GoTo(c, portal.Settings)
}
