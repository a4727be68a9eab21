package roster

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Strip is the team with what each agent is doing: working, or waiting for an answer or a credential.
func Strip(ctx context.Context, team []wire.AgentInfo, waits []approval.Item, secrets []wire.SecretRequest) []portal.AgentProps {
	asks := map[string]int{}
	for _, it := range waits {
		asks[it.Agent]++
	}
	for _, r := range secrets {
		if r.State == "pending" {
			asks[r.Agent]++
		}
	}
	out := make([]portal.AgentProps, 0, len(team))
	for _, a := range team {
		out = append(out, Props(ctx, a, asks[a.ID]))
	}
	return out
}

// Props is one agent as pages show it. asks is how many answers it waits for.
func Props(ctx context.Context, a wire.AgentInfo, asks int) portal.AgentProps {
	p := portal.AgentProps{
		Agent: ui.Agent{ID: a.ID, Name: i18n.Say(ctx, a.Name), Role: a.Role, State: "idle", Href: portal.AgentPath(a.ID)},
		About: a.Description, Level: a.Level, Inherited: a.Inherited, Off: a.Off, Calls: a.Calls7d, LastActive: a.LastActive,
		Asks: asks, Broken: a.Broken,
	}
	for _, s := range a.Starters {
		p.Starters = append(p.Starters, i18n.Say(ctx, s))
	}
	if b := a.Paused; b != nil {
		p.Paused = &portal.Paused{Budget: b.Budget, Limit: b.Limit, Used: b.Used, Until: b.Until}
	}
	switch {
	case a.Broken != "":
		p.Agent.State = "broken"
	case a.Off:
		p.Agent.State = "off"
	case a.Paused != nil:
		p.Agent.State = "paused"
	case asks > 0:
		p.Agent.State = "waiting"
	}
	for _, t := range a.Tools {
		p.Tools = append(p.Tools, portal.ToolProps{
			Name: t.Name, Doc: t.Doc, Outward: t.Outward, Unlocked: t.Unlocked, Visible: t.Visible, Why: t.Why,
			OwnerOnly: t.OwnerOnly, Layer: t.Layer,
		})
		if t.Outward && t.Unlocked {
			p.Unlocked = append(p.Unlocked, t.Name)
		}
	}
	return p
}
