package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// here answers GET /app/settings/approvers/here: the dialog that lets this device approve, for the script of the page on
// which that was needed.
func (p *Pages) here(c echo.Context) error {
	ring, _, err := p.Keys.Asking(c.Request().Context(), frame.Customer(c))
	if err != nil && fault.Of(err).Kind != fault.NotFound { // a server that is not there yet has no keys
		return err
	}
	props := approversOf(web.Context(c), ring, nil, nil)
	props.Next = web.LocalPath(c.QueryParam("next"), portal.Home)
	return web.Render(c, http.StatusOK, views.Here(props))
}
