package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	views "gatehouse/views/public"
)

// offline answers GET /offline: the page that a service worker keeps for when there is no way here.
func (h *Handler) offline(c echo.Context) error {
	return web.Render(c, http.StatusOK, views.Offline())
}
