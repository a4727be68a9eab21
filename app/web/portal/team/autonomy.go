package team

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// autonomy answers GET /app/agents/:agent/autonomy: how much one agent may do alone.
func (p *Pages) autonomy(c echo.Context) error { return p.showAutonomy(c, http.StatusOK, "") }

func (p *Pages) showAutonomy(c echo.Context, status int, problem string) error {
	one, err := p.agentProps(c.Request().Context(), frame.Customer(c), c.Param("agent"))
	if err != nil {
		return err
	}
	props := views.AutonomyProps{Agent: one.Agent, Default: one.Default, Matrix: matrix(), Sync: one.Sync, Problem: problem}
	outer, err := p.Frames.Of(c, frame.Page{
		Title: i18n.T(web.Context(c), "portal.autonomy.title", "agent", one.Agent.Agent.Name),
		Topic: "agent&id=" + one.Agent.Agent.ID, Away: one.Away,
	})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.AutonomyPage(outer, props))
}

// saveAutonomy answers POST /app/agents/:agent/autonomy. Level 0 gives the agent the level of the team again.
func (p *Pages) saveAutonomy(c echo.Context) error {
	id := c.Param("agent")
	level, err := strconv.Atoi(c.FormValue("level"))
	if err != nil {
		level = -1
	}
	was, err := p.Team.State(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	set, err := p.changeAgent(c, team.Level(id, level))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showAutonomy(c, http.StatusUnprocessableEntity, f.Fields["level"]+f.Fields["agent"])
	}
	if err != nil {
		return err
	}
	text := i18n.T(web.Context(c), "portal.autonomy.saved", "agent", p.name(c), "level", levelName(c, levelOf(set, id)))
	raised := levelOf(set, id) > levelOf(was.Config, id)
	saidLevel(c, text, raised, views.AutonomyPath(id), was.Config.Agents[id].Level)
	return frame.GoTo(c, views.AutonomyPath(id))
}

// levelOf is the level that an agent works at: its own, or the team's.
func levelOf(set wire.Config, agent string) int {
	return cmp.Or(set.Agents[agent].Level, set.DefaultLevel)
}

// saidLevel leaves what is true now. Only a raise is taken back in one press: lowering needs no signature.
func saidLevel(c echo.Context, text string, raised bool, path string, was int) {
	if !raised {
		web.Flash(c, "ok", text)
		return
	}
	web.FlashUndo(c, text, web.Undo{Path: path, Fields: map[string]string{"level": strconv.Itoa(was)}})
}

// levelName is a level as the pages call it.
func levelName(c echo.Context, level int) string {
	return strconv.Itoa(level) + " · " + portal.LevelWord(web.Context(c), level)
}

// said leaves what is true now for the page that comes next.
func (p *Pages) said(c echo.Context, key i18n.Key, values ...any) {
	web.Flash(c, "ok", i18n.T(web.Context(c), key, values...))
}

// name is what the agent of the address is called.
func (p *Pages) name(c echo.Context) string {
	return p.Agents.Agent(web.Context(c), frame.Customer(c), c.Param("agent")).Name
}

// matrix is the gate's own decision table: what each level does with each tier.
func matrix() []views.MatrixRow {
	tiers := []policy.Tier{policy.Green, policy.Yellow, policy.YellowExternal, policy.Red, policy.CriticalRed, policy.Forbidden}
	out := make([]views.MatrixRow, 0, len(tiers))
	for _, t := range tiers {
		row := views.MatrixRow{Tier: string(t)}
		for level := 1; level <= 3; level++ {
			row.Effects = append(row.Effects, string(policy.Decide(policy.Input{Tier: t, Level: level}).Effect))
		}
		out = append(out, row)
	}
	return out
}
