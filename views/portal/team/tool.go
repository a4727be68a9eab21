package team

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ToolsPath is what is set about tools for all agents.
const ToolsPath = portal.Agents + "/tools"

// SandboxPath lets one agent work in the sandbox only.
func SandboxPath(agent string) string { return portal.AgentPath(agent) + "/sandbox" }

// What can be set about a tool for all agents.
const (
	RuleDenied    = "denied" // no agent gets it
	RuleOwnerOnly = "owner"  // only what the owner writes may have it used
)

// ToolsProps is what is set about tools for all agents.
type ToolsProps struct {
	Sync  portal.SyncProps
	Away  bool
	Tools []TeamTool
}

// TeamTool is one tool and what is set about it.
type TeamTool struct {
	Name, Doc         string
	Denied, OwnerOnly bool
}

// toolRule is one thing that can be set about a tool: its words by whether it is set, and what is signed to take it back.
type toolRule struct {
	name           string
	on             bool
	kind           string
	set, back      i18n.Key // words of the button
	title, follows i18n.Key // of the dialog
}

func (t TeamTool) rules() []toolRule {
	return []toolRule{
		{RuleDenied, t.Denied, "tool.back", "team.tool_deny", "team.tool_back", "team.tool_back_power", "team.tool_back_says"},
		{RuleOwnerOnly, t.OwnerOnly, "tool.for_all", "team.tool_owner", "team.tool_all", "team.tool_all_power", "team.tool_all_says"},
	}
}

// power asks before a tool is given back.
func (r toolRule) power(ctx context.Context, t TeamTool) portal.Power {
	title := ui.ToolTitle(ctx, t.Name)
	return portal.Power{
		ID: "confirm-" + r.name + "-" + t.Name, Form: "form-" + r.name + "-" + t.Name, Name: "on", Value: "0", Cancel: ToolsPath,
		Title: i18n.T(ctx, r.title, "tool", title), Says: []ui.Option{{Label: i18n.T(ctx, r.follows)}}, Do: i18n.T(ctx, r.back),
	}
}

// sandboxPower asks before an agent may work outside the sandbox.
func sandboxPower(ctx context.Context, p AgentPageProps) portal.Power {
	agent := p.Agent.Agent
	return portal.Power{
		ID: "confirm-sandbox", Form: "sandbox-form", Name: "only", Value: "0", Cancel: portal.AgentPath(agent.ID),
		Title: i18n.T(ctx, "team.sandbox_power", "agent", agent.Name),
		Says:  []ui.Option{{Label: i18n.T(ctx, "team.sandbox_power_says")}}, Do: i18n.T(ctx, "team.sandbox_leave"),
	}
}

// layers are the names of what can remove a tool, by the words of a server.
var layers = map[string]i18n.Key{
	"installed": "team.layer_installed", "profile": "team.layer_profile", "model": "team.layer_model", "allow": "team.layer_allow",
	"global": "team.layer_global", "deny": "team.layer_deny", "sandbox": "team.layer_sandbox", "owner": "team.layer_owner",
	"machine": "team.layer_machine",
}

// removedBy says which layer took a tool from an agent, and why. An older server says only why.
func removedBy(ctx context.Context, t portal.ToolProps) string {
	why := i18n.Say(ctx, t.Why)
	if key, ok := layers[t.Layer]; ok {
		return i18n.T(ctx, "team.removed_by", "layer", i18n.T(ctx, key), "why", why)
	}
	return why
}
