package team

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/team"
)

// tools answers GET /app/agents/tools: which tools no agent gets, and which are for the owner's own messages.
func (p *Pages) tools(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	all, away, err := p.teamProps(ctx, of)
	if err != nil {
		return err
	}
	props := views.ToolsProps{Sync: all.Sync, Away: away}
	if props.Tools, err = p.teamTools(ctx, of, all.Agents); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "team.tools_title"), Away: away, Partial: true})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ToolsPage(outer, props))
}

// teamTools are the tools of the server, as far as it told them, and those that something is set for.
func (p *Pages) teamTools(ctx context.Context, of account.CustomerID, agents []portal.AgentProps) ([]views.TeamTool, error) {
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return nil, err
	}
	lists := set.Config.Tools
	var out []views.TeamTool
	add := func(name, doc string) {
		if !slices.ContainsFunc(out, func(t views.TeamTool) bool { return t.Name == name }) {
			out = append(out, views.TeamTool{
				Name: name, Doc: doc, Denied: slices.Contains(lists.Denied, name), OwnerOnly: slices.Contains(lists.OwnerOnly, name),
			})
		}
	}
	for _, a := range agents {
		for _, t := range a.Tools {
			add(t.Name, t.Doc)
		}
	}
	for _, name := range slices.Concat(lists.Denied, lists.OwnerOnly) {
		add(name, "")
	}
	slices.SortFunc(out, func(a, b views.TeamTool) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// errNoRule says that a form names nothing that can be set about a tool.
var errNoRule = fault.New(fault.Invalid, "invalid", "no such rule about a tool", "This cannot be set about a tool. Nothing was changed.")

// toolRules are what can be set about a tool for all agents, with what is said when it is set and when it is taken back.
var toolRules = map[string]struct {
	edit    func(tool string, on bool) team.Edit
	on, off i18n.Key
}{
	views.RuleDenied:    {team.Denied, "team.tool_now_denied", "team.tool_now_back"},
	views.RuleOwnerOnly: {team.OwnerOnly, "team.tool_now_owner", "team.tool_now_all"},
}

// saveTools answers POST /app/agents/tools: a tool is taken from all agents or kept for the owner, or no longer.
func (p *Pages) saveTools(c echo.Context) error {
	tool, on := c.FormValue("tool"), c.FormValue("on") == "1"
	rule, known := toolRules[c.FormValue("rule")]
	if !known {
		return errNoRule
	}
	if _, err := signing.Change(c, p.Team, rule.edit(tool, on)); err != nil {
		return err
	}
	ctx := web.Context(c)
	if on {
		frame.Said(c, rule.on, "tool", ui.ToolTitle(ctx, tool))
	} else {
		undo := web.Undo{Path: views.ToolsPath, Fields: map[string]string{"tool": tool, "rule": c.FormValue("rule"), "on": "1"}}
		web.FlashUndo(c, i18n.T(ctx, rule.off, "tool", ui.ToolTitle(ctx, tool)), undo)
	}
	return frame.GoTo(c, views.ToolsPath)
}

// saveSandbox answers POST /app/agents/:agent/sandbox: the agent works in the sandbox only, or no longer.
func (p *Pages) saveSandbox(c echo.Context) error {
	id, only := c.Param("agent"), c.FormValue("only") == "1"
	if _, err := p.changeAgent(c, team.Sandboxed(id, only)); err != nil {
		return err
	}
	if only {
		p.said(c, "team.sandbox_now", "agent", p.name(c))
	} else {
		undo := web.Undo{Path: views.SandboxPath(id), Fields: map[string]string{"only": "1"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "team.sandbox_left", "agent", p.name(c)), undo)
	}
	return frame.GoTo(c, portal.AgentPath(id))
}
