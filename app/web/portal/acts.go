package portal

import (
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/server"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	serverviews "gatehouse/views/portal/server"
)

// actOf is one run in a list.
func (p *Portal) actOf(of account.CustomerID, r wire.RunInfo) portal.RunProps {
	a := portal.RunProps{
		ID: r.ID, Root: r.RootID, Session: r.SessionID, Agent: p.names.agent(of, r.Agent), Task: r.Task, State: string(r.State),
		Verdict: string(r.Verdict), Worst: r.Worst, Calls: r.Calls, At: r.CreatedAt, Channel: r.Channel,
	}
	a.Agent.Href = portal.AgentPath(r.Agent)
	if a.Root == "" {
		a.Root = r.ID
	}
	if !r.EndedAt.IsZero() && r.EndedAt.After(r.StartedAt) && !r.StartedAt.IsZero() {
		a.Took = r.EndedAt.Sub(r.StartedAt)
	}
	return a
}

// agentStrip is the team with what each is doing: working, or waiting for an answer or a credential.
func agentStrip(team []wire.AgentInfo, waits []approval.Item, secrets []wire.SecretRequest) []portal.AgentProps {
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
		out = append(out, agentOf(a, asks[a.ID]))
	}
	return out
}

// agentOf is one agent as pages show it.
func agentOf(a wire.AgentInfo, asks int) portal.AgentProps {
	p := portal.AgentProps{
		Agent: ui.Agent{ID: a.ID, Name: a.Name, Role: a.Role, State: "idle", Href: portal.AgentPath(a.ID)},
		About: a.Description, Level: a.Level, Inherited: a.Inherited, Off: a.Off, Calls: a.Calls7d, LastActive: a.LastActive,
		Starters: a.Starters, Asks: asks,
	}
	switch {
	case a.Off:
		p.Agent.State = "off"
	case asks > 0:
		p.Agent.State = "waiting"
	}
	for _, t := range a.Tools {
		p.Tools = append(p.Tools, portal.ToolProps{Name: t.Name, Doc: t.Doc, Outward: t.Outward, Unlocked: t.Unlocked, Visible: t.Visible, Why: t.Why})
		if t.Outward && t.Unlocked {
			p.Unlocked = append(p.Unlocked, t.Name)
		}
	}
	return p
}

// healthOf is the server as its last heartbeat told.
func healthOf(s server.Server, away bool) serverviews.HealthProps {
	h := serverviews.HealthProps{ID: string(s.ID), State: string(s.State), Away: away, BeatAt: s.BeatAt, Agentd: s.AgentdVersion, Since: s.RegisteredAt}
	b := s.Beat
	if b == nil {
		return h
	}
	h.Known, h.Uptime, h.Config = true, b.UptimeS, b.ConfigVersion
	h.Load, h.Cores = b.LoadOne, b.Cores
	h.MemUsed, h.MemTotal = b.MemTotal-b.MemFree, b.MemTotal
	h.DiskUsed, h.DiskTotal = b.DiskTotal-b.DiskFree, b.DiskTotal
	h.Runs, h.Pending, h.Model, h.Rehearsal = b.RunsActive, b.Pending, b.Model, b.Rehearsal
	h.Protection, h.ShellOff = b.Protection, b.ShellOff
	if b.AgentdVersion != "" {
		h.Agentd = b.AgentdVersion
	}
	return h
}
