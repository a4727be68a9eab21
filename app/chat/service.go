package chat

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// How long a server is waited for before a message goes the durable way, and for an answer to a question.
const (
	postWait = 2 * time.Second
	askWait  = 5 * time.Second
)

// Outbox keeps frames for servers until they are delivered; db.Links has it.
type Outbox interface {
	Put(ctx context.Context, id server.ID, f wire.Frame) error
	// SealKey is the key to which bodies for a server are sealed.
	SealKey(ctx context.Context, id server.ID) (string, error)
	// Waiting says whether frames of a type wait for a server.
	Waiting(ctx context.Context, id server.ID, t wire.Type) (bool, error)
}

// Live is what Service needs of the live traffic; relay.Relay has it.
type Live interface {
	server.Caller
	Nudge(serverID string) error
	Notify(n relay.Notice) error
	SubscribeRun(ctx context.Context, customerID, runID string) (*relay.Subscription, error)
}

// Inbox knows which questions people can answer; db.Approvals has it.
type Inbox interface {
	// Has says whether the customer has an approval, decided or not.
	Has(ctx context.Context, of account.CustomerID, id string) (bool, error)
}

// Repeats knows messages that come again; db.Idempotency has it.
type Repeats interface {
	// Pin keeps what the message with that digest is given, and returns what the first such message of principal was
	// given: mine for the first. Of the message itself it keeps nothing.
	Pin(ctx context.Context, principal string, digest, mine []byte, now time.Time) ([]byte, error)
}

// Service is what pages and the API do with conversations. Every method reaches the customer's own server and no other:
// ids of another customer's runs are not found there.
type Service struct {
	Servers server.Finder // for what must arrive in the end
	Peer    server.Peer   // for questions
	Outbox  Outbox
	Live    Live
	Inbox   Inbox
	Repeats Repeats
	Record  Record
	Now     func() time.Time
	Log     *slog.Logger

	Standing Standing // nil: every team takes messages
}

// Standing says whether the team of a customer takes messages; payment.Service does.
type Standing interface {
	// Paused is nil when it does, and else what the person who writes is told.
	Paused(ctx context.Context, of account.CustomerID) error
}

// question is what a server is asked, and how long its answer is waited for.
type question struct {
	method wire.Method
	params any
	wait   time.Duration
}

// askOfRun puts a question about a run to a server. A run that the server does not know while a message for it still
// waits in the outbox is one that has not reached it yet: it counts as away.
func askOfRun[T any](ctx context.Context, s *Service, id server.ID, q question) (T, error) {
	res, err := call[T](ctx, s, id, q)
	if err == nil || fault.Of(err).Kind != fault.NotFound {
		return res, err
	}
	waiting, werr := s.Outbox.Waiting(ctx, id, wire.TypeChatMessage)
	switch {
	case werr != nil:
		return res, werr
	case waiting:
		return res, relay.ErrAway
	}
	return call[T](ctx, s, id, q) // it may have been delivered between the two questions
}

func call[T any](ctx context.Context, s *Service, id server.ID, q question) (res T, err error) {
	ctx, cancel := context.WithTimeout(ctx, q.wait)
	defer cancel()
	return res, s.Live.Call(ctx, string(id), q.method, q.params, &res)
}

// ask puts a question to the customer's server.
func ask[T any](ctx context.Context, s *Service, of account.CustomerID, m wire.Method, params any) (T, error) {
	return server.Ask[T](ctx, s.Peer, of, m, params, askWait)
}
