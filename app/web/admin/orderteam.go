package admin

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

// addTeam adds the agents of the order's server, as the server says. The page is there all the same when it does not answer.
func (h *Handler) addTeam(ctx context.Context, p *views.OrderPage) error {
	if p.ServerID == "" {
		return nil
	}
	s, err := h.Servers.Find(ctx, server.ID(p.ServerID))
	if err != nil || !s.Registered() {
		return err
	}
	team, err := h.Servers.Agents(ctx, s.ID)
	switch {
	case err == nil:
		p.Team = views.TeamKnown
	case fault.Of(err).Kind == fault.Away:
		p.Team = views.TeamAway
	default:
		h.Log.WarnContext(ctx, "agents of an order not asked", "server_id", s.ID, "error", err)
		p.Team = views.TeamAway
	}
	for _, a := range team {
		p.Agents = append(p.Agents, agentProps(ctx, a))
	}
	return nil
}

// agentProps is what our staff see of an agent: how it is called, whether it works, and how much it did. What it is told, they do not.
func agentProps(ctx context.Context, a wire.AgentInfo) views.OrderAgent {
	v := views.OrderAgent{
		ID: a.ID, Name: i18n.Say(ctx, a.Name), Role: a.Role, Level: a.Level, Calls: a.Calls7d, LastActive: a.LastActive, State: "on",
	}
	switch {
	case a.Broken != "":
		v.State = "broken"
	case a.Off:
		v.State = "off"
	case a.Paused != nil:
		v.State = "paused"
	}
	return v
}
