package hook

import (
	"context"
	"sync"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// askWait is how long a server is waited for.
const askWait = 10 * time.Second

// Service is what pages and the API do with hooks, and the way in for what programs outside send.
type Service struct {
	Peer  server.Peer
	Doors Doors

	mu   sync.Mutex
	busy map[string]int // deliveries on their way, by server
	from map[way]int    // the same, by server and network
}

// way is from where a delivery goes to a server.
type way struct{ server, network string }

// List gives the hooks of a customer's server, by name.
func (s *Service) List(ctx context.Context, of account.CustomerID) (wire.HooksResult, error) {
	return server.Ask[wire.HooksResult](ctx, s.Peer, of, wire.MethodHooksList, wire.HooksParams{}, askWait)
}

// Find gives one hook, also one that was deleted.
func (s *Service) Find(ctx context.Context, of account.CustomerID, id string) (wire.Hook, error) {
	return server.Ask[wire.Hook](ctx, s.Peer, of, wire.MethodHookGet, wire.HookParams{ID: id}, askWait)
}

// Deliveries gives one page of what came to a hook, newest first.
func (s *Service) Deliveries(ctx context.Context, of account.CustomerID, p wire.HookDeliveriesParams) (wire.HookDeliveries, error) {
	return server.Ask[wire.HookDeliveries](ctx, s.Peer, of, wire.MethodHookDeliveries, p, askWait)
}

// Change carries a person's act on a hook. The server checks the signature.
func (s *Service) Change(ctx context.Context, of account.CustomerID, c wire.HookChange) (wire.Hook, error) {
	return server.Ask[wire.Hook](ctx, s.Peer, of, wire.MethodHookChange, c, askWait)
}

// ServerID names the server of a customer: it is part of the address of a hook.
func (s *Service) ServerID(ctx context.Context, of account.CustomerID) (server.ID, error) {
	return s.Peer.Servers.ServerOf(ctx, of)
}

// MaxBusy is how many deliveries to one server are on their way at once: more would get into the way of people at its link.
const MaxBusy = 16

// MaxBusyFrom is how many of them come from one network: whether a sender has a proof shows at the server only, so nobody may take all.
const MaxBusyFrom = 4

// ErrBusy says that too many deliveries to a server, or of one network to it, are on their way.
var ErrBusy = fault.New(fault.TooMany, "hook-busy", "too many deliveries at once",
	"Too many deliveries at once. Nothing was taken; send it again later.")

// Deliver carries what somebody outside has sent from a network to a server. An error of the kind Away says that the server cannot be
// reached, or has not answered: whether it took the delivery is then not known, and it knows it again when it is sent again.
func (s *Service) Deliver(ctx context.Context, serverID, network string, d wire.HookDelivery) (a wire.HookAnswer, err error) {
	w := way{serverID, network}
	if !s.begin(w) {
		return a, ErrBusy
	}
	defer s.end(w)
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	return a, s.Peer.Live.Call(ctx, serverID, wire.MethodHookDeliver, d, &a)
}

func (s *Service) begin(w way) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == nil {
		s.busy, s.from = map[string]int{}, map[way]int{}
	}
	if s.busy[w.server] >= MaxBusy || s.from[w] >= MaxBusyFrom {
		return false
	}
	s.busy[w.server]++
	s.from[w]++
	return true
}

func (s *Service) end(w way) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[w.server]--; s.busy[w.server] == 0 {
		delete(s.busy, w.server)
	}
	if s.from[w]--; s.from[w] == 0 {
		delete(s.from, w)
	}
}
