package permission

import (
	"context"
	"fmt"
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

// Servers finds the server of a customer; db.Links has it.
type Servers interface {
	ServerOf(ctx context.Context, of account.CustomerID) (server.ID, error)
}

// Live asks a server; relay.Relay has it.
type Live interface {
	Call(ctx context.Context, serverID string, m wire.Method, params, result any) error
}

// Service is what pages do with rules. Every method reaches the customer's own server and no other.
type Service struct {
	Servers Servers
	Live    Live
}

// Get reads the rules in force and their versions.
func (s *Service) Get(ctx context.Context, of account.CustomerID) (wire.Permissions, error) {
	return ask[wire.Permissions](ctx, s, of, wire.MethodPermissionsGet, struct{}{}, askWait)
}

// Preview says what other rules would have changed; it changes nothing.
func (s *Service) Preview(ctx context.Context, of account.CustomerID, p wire.PermissionsTry) (wire.PermissionsPreview, error) {
	return ask[wire.PermissionsPreview](ctx, s, of, wire.MethodPermissionsSimulate, p, tryWait)
}

// Set puts other rules in force. What lets through more takes the owner's signature, which the server checks.
func (s *Service) Set(ctx context.Context, of account.CustomerID, p wire.PermissionsSet) (wire.Permissions, error) {
	return ask[wire.Permissions](ctx, s, of, wire.MethodPermissionsSet, p, askWait)
}

// Windows lists the times in which a tool runs without being asked again.
func (s *Service) Windows(ctx context.Context, of account.CustomerID) (wire.WindowsResult, error) {
	return ask[wire.WindowsResult](ctx, s, of, wire.MethodWindowsList, struct{}{}, askWait)
}

// Close ends a window before its time.
func (s *Service) Close(ctx context.Context, of account.CustomerID, p wire.WindowClose) (wire.WindowsResult, error) {
	return ask[wire.WindowsResult](ctx, s, of, wire.MethodWindowClose, p, askWait)
}

// Limits reads the bounds that hold for every agent.
func (s *Service) Limits(ctx context.Context, of account.CustomerID) (wire.LimitsResult, error) {
	return ask[wire.LimitsResult](ctx, s, of, wire.MethodLimitsGet, struct{}{}, askWait)
}

// Guardian reads how the second look at risky calls is set, and what it said lately.
func (s *Service) Guardian(ctx context.Context, of account.CustomerID) (wire.GuardianState, error) {
	return ask[wire.GuardianState](ctx, s, of, wire.MethodGuardianGet, struct{}{}, askWait)
}

// ask puts a question to the customer's server.
func ask[T any](ctx context.Context, s *Service, of account.CustomerID, m wire.Method, params any, wait time.Duration) (result T, err error) {
	id, err := s.Servers.ServerOf(ctx, of)
	if err != nil {
		return result, fmt.Errorf("%s: %w", m, err)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return result, s.Live.Call(ctx, string(id), m, params, &result)
}
