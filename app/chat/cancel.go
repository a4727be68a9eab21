package chat

import (
	"context"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Canceled says how far a cancellation has come.
type Canceled struct {
	RunID  string
	State  wire.RunState // what the server answered; empty when Queued
	Queued bool          // the server is away: it stops the run as soon as it is back
}

// Cancel stops a run of the customer and everything it delegated.
func (s *Service) Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (Canceled, error) {
	if uuid.Validate(runID) != nil {
		return Canceled{}, fault.New(fault.NotFound, "not-found", "run id is none", "We could not find that run. It may belong to another server, or the link is incomplete.")
	}
	body := wire.RunCancel{RunID: runID, By: by}
	ack, err := server.Ask[wire.ChatAck](ctx, s.Peer, of, wire.MethodRunCancel, body, postWait)
	if err == nil {
		return Canceled{RunID: runID, State: ack.State}, nil
	}
	if !isAway(err) {
		return Canceled{}, err
	}
	return Canceled{RunID: runID, Queued: true}, s.queue(ctx, of, wire.TypeRunCancel, body)
}
