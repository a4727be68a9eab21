package chat

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
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
	id, err := s.Servers.ServerOf(ctx, of)
	if err != nil {
		return Canceled{}, fmt.Errorf("cancel: %w", err)
	}
	body := wire.RunCancel{RunID: runID, By: by}
	call, cancel := context.WithTimeout(ctx, postWait)
	defer cancel()
	var ack wire.ChatAck
	err = s.Live.Call(call, string(id), wire.MethodRunCancel, body, &ack)
	if err == nil {
		return Canceled{RunID: runID, State: ack.State}, nil
	}
	if !isAway(err) {
		return Canceled{}, err
	}
	return Canceled{RunID: runID, Queued: true}, s.queue(ctx, id, wire.TypeRunCancel, body)
}
