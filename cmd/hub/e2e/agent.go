package e2e

import (
	"net/http"

	"gatehouse/agentd/wire"
)

// LevelOf is the level at which the server runs an agent.
func (c *Client) LevelOf(agent string) int { return c.AgentOf(agent).Level }

// AgentOf is an agent as the server runs it.
func (c *Client) AgentOf(agent string) wire.AgentInfo {
	c.T.Helper()
	var list wire.AgentsResult
	c.Want(http.StatusOK, http.MethodGet, "/agents", nil, &list)
	for _, a := range list.Items {
		if a.ID == agent {
			return a
		}
	}
	c.T.Fatalf("no agent %s", agent)
	return wire.AgentInfo{}
}
