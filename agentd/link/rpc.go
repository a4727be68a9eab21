package link

import (
	"context"
	"encoding/json"
	"errors"

	"gatehouse/agentd/wire"
)

// errBusy is what a question gets when too many are worked on.
var errBusy = &wire.RPCError{Code: "unavailable", Text: "Your server is busy. Try again in a moment."}

// errTooLong is what a question gets whose answer does not fit through the link.
var errTooLong = &wire.RPCError{Code: "unavailable", Text: "The answer is too long to send at once. Ask for less at a time."}

// asked answers a question: an echo at once, anything else beside the reading, up to a bound.
func (s *session) asked(ctx context.Context, f wire.Frame) {
	var q wire.RPCRequest
	if err := json.Unmarshal(f.Body, &q); err != nil {
		s.c.o.Log.WarnContext(ctx, "question of the hub cannot be read", "error", err)
		return
	}
	if q.Method == wire.MethodEcho {
		s.reply(ctx, s.quick, wire.RPCReply{ID: q.ID, Result: q.Params})
		return
	}
	select {
	case s.asking <- struct{}{}:
		s.aside(func() {
			defer func() { <-s.asking }()
			s.answer(ctx, q)
		})
	default:
		s.reply(ctx, s.quick, wire.RPCReply{ID: q.ID, Error: errBusy})
	}
}

// answer asks the handler, for as long as somebody waits by the hub's clock.
func (s *session) answer(ctx context.Context, q wire.RPCRequest) {
	call, cancel := context.WithTimeout(ctx, q.Deadline.Sub(s.c.o.Now().Add(s.offset)))
	defer cancel()
	reply := wire.RPCReply{ID: q.ID}
	result, err := s.c.o.Handler.RPC(call, q.Method, q.Params)
	if boxed, ok := result.(wire.Boxed); ok {
		result, reply.Box = boxed.Result, boxed.Box
	}
	if err == nil {
		reply.Result, err = json.Marshal(result)
	}
	if err != nil {
		reply = wire.RPCReply{ID: q.ID, Error: s.say(ctx, q.Method, err)}
	}
	s.reply(ctx, s.slow, reply)
}

// reply sends an answer. It is lost only with the connection: quick has room for all that the hub may ask, and a hub that
// asks more than that waits until what it asked before is on its way.
func (s *session) reply(ctx context.Context, queue chan<- [][]byte, r wire.RPCReply) {
	msgs, err := s.encoded(r)
	if err == nil {
		err = enqueue(ctx, queue, msgs)
	}
	if err != nil && ctx.Err() == nil {
		s.c.o.Log.ErrorContext(ctx, "answer not sent", "id", r.ID, "error", err)
	}
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
	return &wire.RPCError{Code: "internal", Text: "Something went wrong on your server. Try again."}
}

// encoded is an answer ready to be sent; one that is too long becomes a refusal that says so.
func (s *session) encoded(r wire.RPCReply) ([][]byte, error) {
	f := wire.Frame{V: wire.Version, ID: r.ID, Type: wire.TypeRPCReply, Time: s.c.o.Now().UTC()}
	msgs, err := encode(f, r)
	if errors.Is(err, wire.ErrTooLarge) {
		return encode(f, wire.RPCReply{ID: r.ID, Error: errTooLong})
	}
	return msgs, err
}
