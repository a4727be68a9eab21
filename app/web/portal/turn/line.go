package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Line is one run in a list. who is its agent.
func Line(r wire.RunInfo, who ui.Agent) portal.RunProps {
	p := portal.RunProps{
		ID: r.ID, Root: r.RootID, Session: r.SessionID, Agent: who, Task: r.Task, State: string(r.State),
		Verdict: string(r.Verdict), Worst: r.Worst, Calls: r.Calls, Did: r.Did, DidMore: r.DidMore, At: r.CreatedAt, Channel: r.Channel,
	}
	p.Agent.Href = portal.AgentPath(r.Agent)
	if p.Root == "" {
		p.Root = r.ID
	}
	if !r.EndedAt.IsZero() && r.EndedAt.After(r.StartedAt) && !r.StartedAt.IsZero() {
		p.Took = r.EndedAt.Sub(r.StartedAt)
	}
	return p
}
