package hook

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Doors knows to which server an address belongs to which a messenger brings messages; db.ChannelHooks has it.
type Doors interface {
	// ServerAt is the server of an address; empty: it is nobody's.
	ServerAt(ctx context.Context, hook string) (server.ID, error)
}

// ErrNoDoor says that an address to which messengers bring messages is nobody's.
var ErrNoDoor = fault.New(fault.NotFound, "hook-unknown", "no channel has this address", "There is no such address.")

// Bring carries what a messenger has brought from a network to the server whose channel has the address. An error of the kind Away says
// that the server cannot be reached, or has not answered; a messenger brings it again.
func (s *Service) Bring(ctx context.Context, network string, d wire.ChannelDelivery) (a wire.ChannelAnswer, err error) {
	id, err := s.Doors.ServerAt(ctx, d.Hook) // one that is nobody's is looked for like any other
	if err != nil {
		return a, err
	}
	if id == "" {
		return a, ErrNoDoor
	}
	w := way{string(id), network}
	if !s.begin(w) {
		return a, ErrBusy
	}
	defer s.end(w)
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	return a, s.Peer.Live.Call(ctx, string(id), wire.MethodChannelDeliver, d, &a)
}
