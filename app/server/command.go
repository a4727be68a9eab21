package server

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// CommandState is how a command of our staff stands.
type CommandState string

// The states of a command.
const (
	CommandSent     CommandState = "sent"
	CommandDone     CommandState = "done"
	CommandFailed   CommandState = "failed"
	CommandRefused  CommandState = "refused"
	CommandTimedOut CommandState = "timed_out"
)

// Command is something that our staff had agentd do on a server.
type Command struct {
	ID         string
	ServerID   ID
	Verb       wire.CommandVerb
	Container  string
	By         string // e-mail address
	State      CommandState
	Said       string // by the server, or of it
	Containers []wire.ContainerInfo
	At, Until  time.Time // when it was sent, and until when the server takes it
	EndedAt    time.Time // zero while it is sent
	Signed     wire.SignedCommand
}

// CommandStore is what Commands needs; db.ServerCommands has it.
type CommandStore interface {
	// Add keeps a command, records e and queues the work that sends it: all or nothing.
	Add(ctx context.Context, c Command, e audit.Entry) error
	Get(ctx context.Context, id string) (Command, error)
	// Of lists the newest commands of a server, newest first.
	Of(ctx context.Context, id ID, limit int) ([]Command, error)
	// Listed is the newest list of containers of a server, the zero Command when there is none.
	Listed(ctx context.Context, id ID) (Command, error)
	// End keeps how a command ended, if it has not ended yet.
	End(ctx context.Context, c Command) error
}

// Commands sends commands to servers. Each is signed once, when it is made: whatever is sent again is the same.
type Commands struct {
	Store   CommandStore
	Servers *Service
	Key     ed25519.PrivateKey
	Now     func() time.Time
}

const (
	commandLife = 2 * time.Minute  // until which a server takes it
	commandRest = time.Minute      // how much longer one that was taken may run
	commandWait = 20 * time.Second // for one answer
	lookAgain   = time.Second
	maxShown    = 20
)

// Refusals.
var (
	ErrVerb = fault.New(fault.Invalid, "verb", "unknown command",
		"There is no such command, or the container is missing. Nothing was sent.")
)

// Send signs a command and queues it.
func (s *Commands) Send(ctx context.Context, id ID, verb wire.CommandVerb, container string, by audit.Actor) (Command, error) {
	if err := staff.Require(by, staff.ServersCommand); err != nil {
		return Command{}, err
	}
	if !slices.Contains(wire.CommandVerbs(), verb) || verb.OfContainer() != (container != "") || len(container) > 128 {
		return Command{}, ErrVerb
	}
	srv, err := s.Servers.Find(ctx, id)
	if err != nil {
		return Command{}, err
	}
	if !srv.Registered() {
		return Command{}, ErrRevoked
	}
	u, err := uuid.NewV7()
	if err != nil {
		return Command{}, fmt.Errorf("send command: %w", err)
	}
	now := s.Now().UTC().Truncate(time.Microsecond)
	c := Command{
		ID: u.String(), ServerID: id, Verb: verb, Container: container, By: by.Name, State: CommandSent, At: now,
		Until: now.Add(commandLife),
	}
	c.Signed, err = wire.SignCommand(wire.Command{
		ID: c.ID, ServerID: string(id), Verb: verb, Container: container, By: by.Name, From: c.At, Until: c.Until,
	}, s.Key)
	if err != nil {
		return Command{}, err
	}
	e, err := s.Servers.entry(srv, by, "server.command", map[string]string{"verb": string(verb), "container": container, "command": c.ID})
	if err != nil {
		return Command{}, err
	}
	return c, s.Store.Add(ctx, c, e)
}

// Of lists the newest commands of a server, newest first.
func (s *Commands) Of(ctx context.Context, id ID) ([]Command, error) {
	return s.Store.Of(ctx, id, maxShown)
}

// Listed is the newest list of containers of a server, the zero Command when there is none.
func (s *Commands) Listed(ctx context.Context, id ID) (Command, error) {
	return s.Store.Listed(ctx, id)
}

// Work brings a command a step further and says after how long to do so again; 0 when it has ended. It may be repeated at will:
// the server carries a command out once.
func (s *Commands) Work(ctx context.Context, id string) (time.Duration, error) {
	c, err := s.Store.Get(ctx, id)
	if err != nil || c.State != CommandSent {
		return 0, err
	}
	late := s.Now().After(c.Until)
	state, err := s.ask(ctx, c, late)
	if f := fault.Of(err); err != nil && !errors.Is(err, ErrTooOld) && f.Kind != fault.Away && f.Kind != fault.NotFound {
		return 0, err
	}
	switch {
	case errors.Is(err, ErrTooOld):
		c.State, c.Said = CommandFailed, "The agentd on this server is too old for commands. Nothing was done."
	case err != nil && late:
		c.State = CommandTimedOut
		c.Said = "The server did not answer in time. The command has expired: it will not run any more, unless the server took it before."
	case err == nil && state.State != wire.CommandRunning:
		c.State, c.Said, c.Containers = endOf(state.State), state.Text, state.Containers
	case s.Now().After(c.Until.Add(commandRest)):
		c.State, c.Said = CommandTimedOut, "The server took the command, but did not say in time how it ended."
	default:
		return lookAgain, nil
	}
	c.EndedAt = s.Now().UTC()
	if err := s.Store.End(ctx, c); err != nil {
		return 0, err
	}
	srv, err := s.Servers.Find(ctx, c.ServerID)
	if err == nil {
		s.Servers.Notify.ServerChanged(ctx, srv.CustomerID, srv.ID)
	}
	return 0, err
}

// ask sends the command, or once it has expired asks what became of it.
func (s *Commands) ask(ctx context.Context, c Command, late bool) (state wire.CommandState, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	if late {
		err = s.Servers.Live.Call(ctx, string(c.ServerID), wire.MethodCommandGet, wire.CommandParams{ID: c.ID}, &state)
	} else {
		err = s.Servers.Live.Call(ctx, string(c.ServerID), wire.MethodCommand, c.Signed, &state)
	}
	if err != nil {
		return state, oldAgentd(err)
	}
	return state, nil
}

// endOf is a server's word for how a command ended as it is kept.
func endOf(state string) CommandState {
	switch state {
	case wire.CommandDone:
		return CommandDone
	case wire.CommandRefused:
		return CommandRefused
	}
	return CommandFailed
}
