package permission

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// How long a server is waited for: a simulation reads every call of a month.
const (
	askWait = 5 * time.Second
	tryWait = 20 * time.Second
)

// Service is what pages do with rules. Every method reaches the customer's own server and no other.
type Service struct{ Peer server.Peer }

// Get reads the rules in force and their versions.
func (s *Service) Get(ctx context.Context, of account.CustomerID) (wire.Permissions, error) {
	return server.Ask[wire.Permissions](ctx, s.Peer, of, wire.MethodPermissionsGet, struct{}{}, askWait)
}

// Preview says what other rules would have changed; it changes nothing.
func (s *Service) Preview(ctx context.Context, of account.CustomerID, p wire.PermissionsTry) (wire.PermissionsPreview, error) {
	return server.Ask[wire.PermissionsPreview](ctx, s.Peer, of, wire.MethodPermissionsSimulate, p, tryWait)
}

// Set puts other rules in force. What lets through more takes the owner's signature, which the server checks.
func (s *Service) Set(ctx context.Context, of account.CustomerID, p wire.PermissionsSet) (wire.Permissions, error) {
	return server.Ask[wire.Permissions](ctx, s.Peer, of, wire.MethodPermissionsSet, p, askWait)
}

// Windows lists the times in which a tool runs without being asked again.
func (s *Service) Windows(ctx context.Context, of account.CustomerID) (wire.WindowsResult, error) {
	return server.Ask[wire.WindowsResult](ctx, s.Peer, of, wire.MethodWindowsList, struct{}{}, askWait)
}

// Close ends a window before its time.
func (s *Service) Close(ctx context.Context, of account.CustomerID, p wire.WindowClose) (wire.WindowsResult, error) {
	return server.Ask[wire.WindowsResult](ctx, s.Peer, of, wire.MethodWindowClose, p, askWait)
}

// Limits reads the bounds that hold for every agent.
func (s *Service) Limits(ctx context.Context, of account.CustomerID) (wire.LimitsResult, error) {
	return server.Ask[wire.LimitsResult](ctx, s.Peer, of, wire.MethodLimitsGet, struct{}{}, askWait)
}

// Inside reads which addresses count as inside the business on the server.
func (s *Service) Inside(ctx context.Context, of account.CustomerID) (wire.InsideResult, error) {
	return server.Ask[wire.InsideResult](ctx, s.Peer, of, wire.MethodInsideList, struct{}{}, askWait)
}

// Guardian reads how the second look at risky calls is set, and what it said lately.
func (s *Service) Guardian(ctx context.Context, of account.CustomerID) (wire.GuardianState, error) {
	return server.Ask[wire.GuardianState](ctx, s.Peer, of, wire.MethodGuardianGet, struct{}{}, askWait)
}
