package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"gatehouse/agentd/wire"
)

// Handler answers one question. A *wire.RPCError reaches the person who asked; any other error stays in the log.
type Handler func(ctx context.Context, params json.RawMessage) (any, error)

// Methods holds the handler of each method.
type Methods map[wire.Method]Handler

// Join gives the methods of all parts. Two parts that answer the same method are an error.
func Join(parts ...Methods) (Methods, error) {
	all := Methods{}
	for _, part := range parts {
		for m := range part {
			if all[m] != nil {
				return nil, fmt.Errorf("method %q has two handlers", m)
			}
		}
		maps.Copy(all, part)
	}
	return all, nil
}

// Answer asks the handler of m.
func (ms Methods) Answer(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	h := ms[m]
	if h == nil {
		return nil, badRequest(fmt.Sprintf("This server does not answer %q.", m))
	}
	return h(ctx, params)
}

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }
