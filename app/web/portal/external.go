package portal

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/team"
)

// external answers GET /app/agents/:agent/external: what one agent may send outside without asking.
func (p *Portal) external(c echo.Context) error {
	one, err := p.agentProps(c.Request().Context(), customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{
		title: i18n.T(web.Context(c), "portal.external.title", "agent", one.Agent.Agent.Name), topic: "agent&id=" + one.Agent.Agent.ID, away: one.Away, part: true,
	})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ExternalPage(frame, views.ExternalProps{Agent: one.Agent, Sync: one.Sync, Away: one.Away}))
}

// saveExternal answers POST /app/agents/:agent/external: one tool is unlocked for outward calls, or gated again.
func (p *Portal) saveExternal(c echo.Context) error {
	id := c.Param("agent")
	edit := team.External(id, c.FormValue("tool"), c.FormValue("mode") == "autonomous")
	if _, err := p.changeAgent(c, edit); err != nil {
		return err
	}
	return web.SeeOther(c, views.ExternalPath(id))
}
