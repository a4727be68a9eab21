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
	Queued bool          // the server is away, or has not taken the message yet: it stops the run as soon as it can
}

// Cancel stops a run of the customer and everything it delegated.
func (s *Service) Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (Canceled, error) {
	if uuid.Validate(runID) != nil {
		return Canceled{}, fault.New(fault.NotFound, "not-found", "run id is none", "We could not find this task. It may belong to another server, or the link is incomplete.")
	}
	body := wire.RunCancel{RunID: runID, By: by}
	id, err := s.Peer.Servers.ServerOf(ctx, of)
	if err != nil {
		return Canceled{}, fmt.Errorf("cancel: %w", err)
	}
	ack, err := askOfRun[wire.ChatAck](ctx, s, id, question{wire.MethodRunCancel, body, postWait})
	if err == nil {
		return Canceled{RunID: runID, State: ack.State}, nil
	}
	if !isAway(err) {
		return Canceled{}, err
	}
	return Canceled{RunID: runID, Queued: true}, s.queue(ctx, of, wire.TypeRunCancel, body)
}
