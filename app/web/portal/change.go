package portal

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web/inbox"
)

// change carries out an edit of the settings, with the signature that the script has put into the form. What lets agents
// do less needs none.
func (p *Portal) change(c echo.Context, edit team.Edit) (wire.Config, error) {
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return wire.Config{}, err
	}
	version, err := strconv.ParseInt(c.FormValue("version"), 10, 64)
	if err != nil {
		version = 0 // no version has that number
	}
	return p.Team.Change(c.Request().Context(), customer(c), origin(c), team.Signed(edit, version, sig))
}
