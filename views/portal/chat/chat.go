package chat

import (
	"strconv"

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
	Away     bool // the conversation could not be read
	Archived bool
	Name     NameProps // empty: it has no name that could be changed yet
	// LookAgain is where a browser without scripts looks for news in five seconds; empty: nothing happens by itself.
	LookAgain string
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

// LookAgainPath is a conversation, opened at its newest turn for the nth time. The number makes each address another one: a
// browser takes an address that differs in its fragment alone for a jump within the page, and loads nothing.
func LookAgainPath(session, run string, n int) string {
	return portal.ChatPath(session) + "?look=" + strconv.Itoa(n) + "#" + ui.TurnID(run)
}
