package team

import "gatehouse/views/portal"

// ExternalProps is what one agent may send outside.
type ExternalProps struct {
	Agent portal.AgentProps
	Sync  portal.SyncProps
	Away  bool
}

// Outward are the tools that can reach people outside.
func (p ExternalProps) Outward() []portal.ToolProps {
	var out []portal.ToolProps
	for _, t := range p.Agent.Tools {
		if t.Outward && t.Visible {
			out = append(out, t)
		}
	}
	return out
}
