package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// callTime is how long Call waits when its context sets no deadline.
const callTime = 5 * time.Second

// ErrAway says that a server cannot be asked now: no hub holds its link, or it did not answer in time.
var ErrAway = fault.New(fault.Away, "server-away", "server is not linked",
	"Your server does not answer right now. Nothing is lost. The server reconnects by itself, and this page continues then.")

// Call asks a server and waits for the answer, until the deadline of ctx or 5 s. A page that only reads waits 600 ms for a
// server that left the last question without an answer. Params is turned into JSON, the answer is read into result (nil: not
// wanted). A server's refusal comes back as a fault with the server's words.
func (r *Relay) Call(ctx context.Context, serverID string, m wire.Method, params, result any) error {
	if !plain(serverID) {
		return fmt.Errorf("call %s: server id %q: %w", m, serverID, ErrAway)
	}
	ctx, cancel := deadline(ctx)
	defer cancel()
	raw, err := r.request(ctx, m, params)
	if err != nil {
		return fmt.Errorf("call %s: %w", m, err)
	}
	ask := r.send
	if reads[m] {
		ask = r.read
	}
	msg, err := ask(ctx, serverID, raw)
	if err != nil {
		return fmt.Errorf("call %s of server %s: %w", m, serverID, away(err))
	}
	if err := readReply(msg.Data, result); err != nil {
		return fmt.Errorf("call %s of server %s: %w", m, serverID, err)
	}
	return nil
}

func deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, callTime)
}

func (r *Relay) request(ctx context.Context, m wire.Method, params any) ([]byte, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if len(body) > wire.MaxBody {
		return nil, fmt.Errorf("params of %d bytes are too large", len(body))
	}
	until, _ := ctx.Deadline()
	id := r.prefix + strconv.FormatInt(r.serial.Add(1), 36)
	return json.Marshal(wire.RPCRequest{ID: id, Method: m, Params: body, Deadline: until.UTC()})
}

// away turns what NATS says into ErrAway; a caller who went away himself gets his own context's error.
func away(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, nats.ErrNoResponders):
		return ErrAway
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

func readReply(raw []byte, result any) error {
	var reply wire.RPCReply
	if err := json.Unmarshal(raw, &reply); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	if reply.Error != nil {
		return refusal(reply.Error)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Result, result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if takes, ok := result.(interface{ TakeBox([]byte) }); ok {
		takes.TakeBox(reply.Box)
	}
	return nil
}

// kinds gives the codes of a server's refusals their kind.
var kinds = map[string]fault.Kind{
	"bad_request": fault.Invalid, "not_found": fault.NotFound, "conflict": fault.Conflict, "unavailable": fault.Away,
	"signature_required": fault.Forbidden,
}

// refusal is a server's refusal as a fault. What went wrong inside the server stays there: pages get fixed words.
func refusal(e *wire.RPCError) error {
	kind, known := kinds[e.Code]
	if !known {
		return fmt.Errorf("%w: %s", errInside, e.Error())
	}
	return fault.New(kind, "server-"+strings.ReplaceAll(string(kind), "_", "-"), e.Error(), e.Text)
}

var errInside = fault.New(fault.Internal, "server-internal", "the server failed inside",
	"Something went wrong on your server. Try again. The reason is in the server's own log.")
