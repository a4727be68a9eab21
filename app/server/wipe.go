package server

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// ErrNotWiped says that a server will not wipe its machine, however often it is told to.
func ErrNotWiped(why string) error {
	return fault.New(fault.Conflict, "not-wiped", "server does not wipe its machine", why)
}

// SendWipe has a server's machine wipe itself and let root in by the key afterwards, as by has confirmed. Who may have that done, and
// when, was decided before. It may be repeated: a machine is wiped once.
func (s *Commands) SendWipe(ctx context.Context, serverID, by, letIn string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("send wipe: %w", err)
	}
	now := s.Now().UTC()
	signed, err := wire.SignCommand(wire.Command{
		ID: id.String(), ServerID: serverID, Verb: wire.VerbWipe, LetIn: letIn, By: by, From: now, Until: now.Add(commandLife),
	}, s.Key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	var state wire.CommandState
	if err := oldAgentd(s.Servers.Live.Call(ctx, serverID, wire.MethodCommand, signed, &state)); err != nil {
		return err
	}
	if state.State == wire.CommandRefused || state.State == wire.CommandFailed {
		return ErrNotWiped(state.Text)
	}
	return nil
}
