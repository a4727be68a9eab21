package chat

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
)

// stop answers POST /app/runs/:id/stop: with the field alone, only that run of its tree is stopped. The page hears of the end
// from the stream; a plain form is led back to where it was.
func (p *Pages) stop(c echo.Context) error {
	id := c.Param("id")
	stop := p.Chat.Cancel
	if c.FormValue("alone") != "" {
		stop = p.Chat.CancelAlone
	}
	got, err := stop(c.Request().Context(), frame.Customer(c), frame.Origin(c), id)
	if err != nil {
		return err
	}
	if !web.IsPartial(c) {
		now := i18n.Key("portal.say.stopped")
		if got.Queued {
			now = "portal.stop.queued"
		}
		frame.Said(c, now)
		return web.SeeOther(c, web.LocalPath(c.FormValue("back"), portal.RunPath(id)))
	}
	if got.Queued {
		text := i18n.T(web.Context(c), "portal.stop.queued")
		return web.Render(c, http.StatusOK, ui.PushToast(ui.Toast{Kind: "info", Text: text}))
	}
	return c.NoContent(http.StatusNoContent)
}
