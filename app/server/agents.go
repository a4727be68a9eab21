package server

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
)

// agentsWait is how long a page of our staff waits for a server's team.
const agentsWait = 3 * time.Second

// Agents asks a server which agents work on it. The hub keeps none of it: a server that is away is a fault of kind Away.
func (s *Service) Agents(ctx context.Context, id ID) ([]wire.AgentInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, agentsWait)
	defer cancel()
	var team wire.AgentsResult
	err := s.Live.Call(ctx, string(id), wire.MethodAgentsList, struct{}{}, &team)
	return team.Items, err
}
