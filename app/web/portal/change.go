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
	version, sig, err := signed(c)
	if err != nil {
		return wire.Config{}, err
	}
	return p.Team.Change(c.Request().Context(), customer(c), origin(c), team.Signed(edit, version, sig))
}

// changeAgent is change for what is set of one agent: nothing is of one that is not in the team. While nobody can say
// whether it is, its settings can be changed: an agent can be switched off at any time.
func (p *Portal) changeAgent(c echo.Context, edit team.Edit) (wire.Config, error) {
	if _, err := p.agentProps(c.Request().Context(), customer(c), c.Param("agent")); err != nil && !isAway(err) {
		return wire.Config{}, err
	}
	return p.change(c, edit)
}

// signed reads what the script has put into a form: a signature, nil when there is none, and the version of the settings
// that it was made for; -1, which no settings have, when the form says none.
func signed(c echo.Context) (version int64, sig *wire.Signature, err error) {
	if sig, err = inbox.SignatureOf(c); err != nil {
		return 0, nil, err
	}
	if version, err = strconv.ParseInt(c.FormValue("version"), 10, 64); err != nil {
		version = -1
	}
	return version, sig, nil
}
