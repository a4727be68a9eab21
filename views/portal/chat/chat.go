package chat

import (
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Props is one conversation.
type Props struct {
	Title    string
	Agent    ui.Agent
	Member   portal.AgentProps // what the agent may do; empty while the server is away
	Thread   ui.Thread
	Composer ui.Composer
	Starters []string
	Fresh    bool // nothing was said yet
	Works    bool // something happens by itself: a browser without scripts looks again
	Away     bool // the conversation could not be read
}

// OlderProps is a slice of earlier turns.
type OlderProps struct {
	Turns []ui.Turn
	Older string
}

// newPath begins another conversation with the same agent.
func newPath(p Props) string {
	if p.Agent.ID == "" || p.Agent.ID == "dispatcher" {
		return portal.Chat + "?new=1"
	}
	return portal.ChatAgentPath(p.Agent.ID) + "?new=1"
}
