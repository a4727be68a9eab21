package link

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gatehouse/agentd/wire"
)

// errBusy is what a question gets when too many are worked on.
var errBusy = &wire.RPCError{Code: "unavailable", Text: "Your server is busy with other questions. Try again in a moment."}

// asked answers a question: an echo at once, anything else beside the reading, up to a bound.
func (s *session) asked(ctx context.Context, f wire.Frame) {
	var q wire.RPCRequest
	if err := json.Unmarshal(f.Body, &q); err != nil {
		s.c.o.Log.WarnContext(ctx, "question of the hub cannot be read", "error", err)
		return
	}
	if q.Method == wire.MethodEcho {
		s.reply(ctx, wire.RPCReply{ID: q.ID, Result: q.Params})
		return
	}
	select {
	case s.asking <- struct{}{}:
		go func() {
			defer func() { <-s.asking }()
			s.answer(ctx, q)
		}()
	default:
		s.reply(ctx, wire.RPCReply{ID: q.ID, Error: errBusy})
	}
}

// answer asks the handler, for as long as somebody waits by the hub's clock.
func (s *session) answer(ctx context.Context, q wire.RPCRequest) {
	call, cancel := context.WithDeadline(ctx, time.Now().Add(q.Deadline.Sub(s.c.o.Now().Add(s.offset))))
	defer cancel()
	result, err := s.c.o.Handler.RPC(call, q.Method, q.Params)
	if err == nil {
		var raw []byte
		if raw, err = json.Marshal(result); err == nil {
			s.reply(ctx, wire.RPCReply{ID: q.ID, Result: raw})
			return
		}
	}
	s.reply(ctx, wire.RPCReply{ID: q.ID, Error: s.say(ctx, q.Method, err)})
}

// say is what the other side hears of an error: refusals whole, anything else without its cause.
func (s *session) say(ctx context.Context, m wire.Method, err error) *wire.RPCError {
	var refused *wire.RPCError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &wire.RPCError{Code: "unavailable", Text: "Your server did not finish this in time. Try again."}
	}
	s.c.o.Log.ErrorContext(ctx, "question of the hub failed", "method", string(m), "error", err)
	return &wire.RPCError{Code: "internal", Text: "Your server could not do this: something went wrong on it."}
}

// reply sends an answer. An echo is answered while reading, so it must not wait for room; whoever asked runs into its
// deadline when there is none.
func (s *session) reply(ctx context.Context, r wire.RPCReply) {
	err := s.offer(wire.TypeRPCReply, r.ID, r)
	if errors.Is(err, wire.ErrTooLarge) {
		err = s.offer(wire.TypeRPCReply, r.ID, wire.RPCReply{ID: r.ID, Error: &wire.RPCError{
			Code: "unavailable", Text: "The answer is too long to be sent at once. Ask for less of it.",
		}})
	}
	if err != nil {
		s.c.o.Log.WarnContext(ctx, "answer dropped", "error", err)
	}
}
