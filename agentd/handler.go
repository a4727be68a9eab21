package agentd

import (
	"context"
	"database/sql"
	"encoding/json"

	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

var _ link.Handler = handler{}

// handler is where questions and frames of the hub go.
type handler struct {
	link.Frames // each type to the part that takes it

	methods  rpc.Methods
	receipts *receipt.Log
}

// newHandler joins what the parts answer and take. A part with a new question or frame is added here.
func (d *Daemon) newHandler() (handler, error) {
	methods, err := rpc.Join(
		d.runtime.Methods(), d.gate.Methods(), d.live.Methods(), d.keys.Methods(), d.counter.Methods(), d.receipts.Methods(),
		d.changeMethods(),
		d.shelf.Methods(), d.exports.Methods(), d.linkMethods(), d.commands.Methods(), d.support.Methods(), d.schedules.Methods(),
		d.reports.Methods(), d.desk.Methods(), d.hooks.Methods(), d.channels.Methods(), d.rules.Methods(),
		d.staff.Methods(),
	)
	frames := link.Frames{
		wire.TypeChatMessage:      link.Take(d.runtime.Accept),
		wire.TypeRunCancel:        link.Take(d.runtime.AcceptCancel),
		wire.TypeApprovalDecision: link.Take(d.gate.Apply),
		wire.TypeConfigPush:       link.Take(d.live.Apply),
		wire.TypeSupportClose:     link.Take(d.support.Close),
	}
	return handler{frames, methods, d.receipts}, err
}

// RPC answers a question.
func (h handler) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	return h.methods.Answer(ctx, m, params)
}

// Refused puts a frame that was taken without effect on record.
func (h handler) Refused(_ context.Context, tx *sql.Tx, f wire.Frame, why error) error {
	body := map[string]any{"frame_id": f.ID, "type": f.Type, "why": why.Error()}
	_, err := h.receipts.Append(tx, receipt.Entry{Type: "frame.refused", Body: body})
	return err
}
