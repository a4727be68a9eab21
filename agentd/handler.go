package agentd

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/wire"
)

// handler is where frames and questions of the hub go.
type handler struct{ d *Daemon }

// RPC answers a question.
func (h handler) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	switch {
	case m == wire.MethodApprovalGet || gate.Answers(m):
		return h.d.gate.RPC(ctx, m, params)
	case m == wire.MethodPermissionsGet || m == wire.MethodPermissionsSet || m == wire.MethodInsideList:
		return h.d.live.RPC(ctx, m, params)
	case m == wire.MethodFlaggedList:
		return asked(params, func(p wire.FlaggedParams) (any, error) { return h.d.receipts.Flagged(ctx, p) })
	case m == wire.MethodReceiptsHashes:
		return asked(params, func(p wire.HashesParams) (any, error) { return h.d.receipts.Hashes(ctx, p) })
	case m == wire.MethodChangeGet:
		return asked(params, func(p wire.ChangeParams) (any, error) { return h.d.change(ctx, p) })
	case approver.Answers(m):
		return h.d.keys.RPC(ctx, m, params)
	case counter.Answers(m):
		return h.d.counter.RPC(ctx, m, params)
	}
	return h.d.runtime.RPC(ctx, m, params)
}

// asked reads the parameters of a question and hands them on.
func asked[T any](params json.RawMessage, to func(T) (any, error)) (any, error) {
	var p T
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wire.RPCError{Code: "bad_request", Text: "This question cannot be read."}
	}
	return to(p)
}

// Apply takes a reliable frame in tx. What cannot be read can never be applied.
func (h handler) Apply(ctx context.Context, tx *sql.Tx, f wire.Frame) error {
	switch f.Type {
	case wire.TypeChatMessage:
		return apply(f, func(m wire.ChatMessage) error { return final(h.d.runtime.ApplyChat(tx, m)) })
	case wire.TypeRunCancel:
		return apply(f, func(c wire.RunCancel) error { return h.d.runtime.ApplyCancel(tx, c) })
	case wire.TypeApprovalDecision:
		return apply(f, func(d wire.Decision) error { return h.d.gate.Apply(ctx, tx, d) })
	case wire.TypeConfigPush:
		return apply(f, func(c wire.Config) error { return h.d.live.Apply(ctx, tx, c) })
	}
	return fmt.Errorf("%w: agentd takes no frame %q", link.ErrRefused, f.Type)
}

// apply reads the body of f and hands it on.
func apply[T any](f wire.Frame, to func(T) error) error {
	var body T
	if err := json.Unmarshal(f.Body, &body); err != nil {
		return fmt.Errorf("%w: its body cannot be read: %w", link.ErrRefused, err)
	}
	return to(body)
}

// final marks a message that no run can answer, so that it does not come again and again.
func final(err error) error {
	var no *wire.RPCError
	if errors.As(err, &no) {
		return fmt.Errorf("%w: %w", link.ErrRefused, err)
	}
	return err
}

// Applied starts what a frame has brought, once it is durable. Decisions and versions wake those who wait themselves.
func (h handler) Applied(_ context.Context, f wire.Frame) {
	switch f.Type {
	case wire.TypeChatMessage:
		wake(h.d, f, h.d.runtime.WakeChat)
	case wire.TypeRunCancel:
		wake(h.d, f, h.d.runtime.WakeCancel)
	}
}

func wake[T any](d *Daemon, f wire.Frame, fn func(T)) {
	var body T
	if err := json.Unmarshal(f.Body, &body); err != nil {
		d.log.Error("applied frame cannot be read again", "frame_id", f.ID, "type", string(f.Type), "error", err)
		return
	}
	fn(body)
}

// Refused puts a frame that was taken without effect on record.
func (h handler) Refused(_ context.Context, tx *sql.Tx, f wire.Frame, why error) error {
	_, err := h.d.receipts.Append(tx, receipt.Entry{Type: "frame.refused", Body: map[string]any{"frame_id": f.ID, "type": f.Type, "why": why.Error()}})
	return err
}
