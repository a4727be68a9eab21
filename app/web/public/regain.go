package public

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/regain"
	"gatehouse/app/web"
	views "gatehouse/views/public"
)

// Regain stops the cases of owners who lost everything; regain.Service does.
type Regain interface {
	Peek(ctx context.Context, token string) (regain.Case, error)
	StopByLink(ctx context.Context, token, address string) error
}

// askStop answers GET /auth/regain/:token. It uses nothing up: mail programs open links by themselves.
func (h *Handler) askStop(c echo.Context) error {
	if _, err := h.Regain.Peek(c.Request().Context(), c.Param("token")); err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.RegainStop(h.frame(c), views.RegainPath(c.Param("token"))))
}

// stop answers POST /auth/regain/:token, for whoever was mailed the link.
func (h *Handler) stop(c echo.Context) error {
	if err := h.Regain.StopByLink(c.Request().Context(), c.Param("token"), c.RealIP()); err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.RegainStopped(h.frame(c)))
}
