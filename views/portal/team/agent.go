package team

import (
	"slices"

	"gatehouse/views/portal"
)

// AgentPageProps is one agent.
type AgentPageProps struct {
	Agent   portal.AgentProps
	Default int
	Runs    []portal.RunProps
	Unread  bool // what it did could not be read
	Sync    portal.SyncProps
	Away    bool // the team could not be read

	Sandboxed  bool        // it is set to work in the sandbox only
	Colleagues []Colleague // whom it may hand tasks to, and whom not; none for the dispatcher, who may ask all
}

// given are the tools that an agent has, or those that were kept from it.
func given(a portal.AgentProps, visible bool) []portal.ToolProps {
	return slices.DeleteFunc(slices.Clone(a.Tools), func(t portal.ToolProps) bool { return t.Visible != visible })
}
