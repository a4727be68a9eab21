package memory

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

const askWait = 5 * time.Second

// Service is what people do with memory. Every method reaches the customer's own server and no other.
type Service struct{ Peer server.Peer }

// List gives a page of notes, or those that fit a query.
func (s *Service) List(ctx context.Context, of account.CustomerID, p wire.MemoryParams) (wire.MemoryResult, error) {
	return server.Ask[wire.MemoryResult](ctx, s.Peer, of, wire.MethodMemoryList, p, askWait)
}

// Agents gives the team, whose notes these are.
func (s *Service) Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error) {
	return server.Ask[wire.AgentsResult](ctx, s.Peer, of, wire.MethodAgentsList, nil, askWait)
}

// Change carries a person's act on a note. The server checks the signature.
func (s *Service) Change(ctx context.Context, of account.CustomerID, c wire.MemoryChange) (wire.MemoryNote, error) {
	return server.Ask[wire.MemoryNote](ctx, s.Peer, of, wire.MethodMemoryChange, c, askWait)
}
