package portal

// newTalk begins another conversation with the same agent.
func newTalk(p ChatProps) string {
	if p.Agent.ID == "" || p.Agent.ID == "dispatcher" {
		return Chat + "?new=1"
	}
	return ChatAgentPath(p.Agent.ID) + "?new=1"
}
