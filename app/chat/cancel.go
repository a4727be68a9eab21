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

// Cancel stops a run of the customer, everything it delegated and the sub-agents that it began.
func (s *Service) Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (Canceled, error) {
	return s.cancel(ctx, of, wire.RunCancel{RunID: runID, By: by})
}

// CancelAlone stops one run, with what it delegated: those above it and beside it go on. A server before version 6 stops all.
func (s *Service) CancelAlone(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (Canceled, error) {
	return s.cancel(ctx, of, wire.RunCancel{RunID: runID, By: by, Alone: true})
}

func (s *Service) cancel(ctx context.Context, of account.CustomerID, body wire.RunCancel) (Canceled, error) {
	runID := body.RunID
	if uuid.Validate(runID) != nil {
		return Canceled{}, fault.New(fault.NotFound, "not-found", "run id is none", "We could not find this task. It may belong to another server, or the link is incomplete.")
	}
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
