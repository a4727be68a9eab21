package file

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web/portal/frame"
)

// place answers GET /app/files/place: where a file that goes with a message can lie, and what its signature is bound to now. A
// conversation stays open for long, so its page cannot say either.
func (p *Pages) place(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	at, err := p.Files.Place(ctx, frame.Customer(c), c.QueryParam("month"), c.QueryParam("name"))
	if err != nil {
		return err
	}
	bound, err := p.signs(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"path": at, "server": bound.Server, "config": bound.Config})
}
