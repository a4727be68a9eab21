package approver

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/wire"
)

// Answers says whether a question of the hub is about approver keys.
func Answers(m wire.Method) bool {
	return m == wire.MethodApproverEnrol || m == wire.MethodApproverRevoke
}

// RPC answers the hub. What it asks is proven by codes and signatures, never by who asks.
func (k *Keys) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	switch m {
	case wire.MethodApproverEnrol:
		return answer(params, func(e wire.Enrolment) (any, error) { return k.Enrol(ctx, e) })
	case wire.MethodApproverRevoke:
		return answer(params, func(r wire.Revocation) (any, error) { return k.Revoke(ctx, r) })
	}
	return nil, &wire.RPCError{Code: "bad_request", Text: "This server does not know that question."}
}

func answer[T any](params json.RawMessage, fn func(T) (any, error)) (any, error) {
	var in T
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, &wire.RPCError{Code: "bad_request", Text: "The question cannot be read."}
	}
	return fn(in)
}
