package runtime

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// RPC answers the chat, run, session and agents methods of the link. Its errors are *wire.RPCError when they may be
// shown.
func (r *Runtime) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	switch m {
	case wire.MethodChatPost:
		return with(ctx, params, r.Post)
	case wire.MethodRunCancel:
		return with(ctx, params, r.Cancel)
	case wire.MethodRunEvents:
		return with(ctx, params, r.events)
	case wire.MethodRunGet:
		return with(ctx, params, r.run)
	case wire.MethodRunReceipts:
		return with(ctx, params, r.receipts)
	case wire.MethodRunsList:
		return with(ctx, params, r.runs)
	case wire.MethodSessionsList:
		return with(ctx, params, r.conversations)
	case wire.MethodSessionGet:
		return with(ctx, params, r.conversation)
	case wire.MethodAgentsList:
		return r.agents(ctx)
	}
	return nil, &wire.RPCError{Code: "bad_request", Text: fmt.Sprintf("This server does not answer %q.", m)}
}

// with reads params and answers with fn.
func with[P, R any](ctx context.Context, params json.RawMessage, fn func(context.Context, P) (R, error)) (any, error) {
	var in P
	if len(params) > 0 {
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, &wire.RPCError{Code: "bad_request", Text: "The request cannot be read."}
		}
	}
	out, err := fn(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, nil
}
