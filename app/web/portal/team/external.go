package team

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/team"
)

// external answers GET /app/agents/:agent/external: what one agent may send outside without asking.
func (p *Pages) external(c echo.Context) error {
	one, err := p.agentProps(c.Request().Context(), frame.Customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{
		Title: i18n.T(web.Context(c), "portal.external.title", "agent", one.Agent.Agent.Name),
		Topic: "agent&id=" + one.Agent.Agent.ID, Away: one.Away, Partial: true,
	})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ExternalPage(outer, views.ExternalProps{Agent: one.Agent, Sync: one.Sync, Away: one.Away}))
}

// saveExternal answers POST /app/agents/:agent/external: one tool is unlocked for outward calls, or gated again.
func (p *Pages) saveExternal(c echo.Context) error {
	id := c.Param("agent")
	tool, alone := c.FormValue("tool"), c.FormValue("mode") == "autonomous"
	if _, err := p.changeAgent(c, team.External(id, tool, alone)); err != nil {
		return err
	}
	if alone {
		undo := web.Undo{Path: views.ExternalPath(id), Fields: map[string]string{"tool": tool, "mode": "gated"}}
		ctx := web.Context(c)
		web.FlashUndo(c, i18n.T(ctx, "portal.external.now_open", "agent", p.name(c), "does", ui.ToolDoes(ctx, tool)), undo)
	} else {
		p.said(c, "portal.external.now_gated", "agent", p.name(c))
	}
	return frame.GoTo(c, views.ExternalPath(id))
}
