package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

var errNotBuilt = errors.New("not built")

// Runtime runs the team of one server.
type Runtime struct {
	d Deps
}

// New makes a Runtime that is not running yet: messages may be posted, but nothing starts before Start.
func New(d Deps) (*Runtime, error) { return &Runtime{d: d}, nil }

// Start takes up what a former process left and begins to run. Calls go through doer. It returns at once; Close waits.
func (r *Runtime) Start(ctx context.Context, doer gate.Doer) error { return errNotBuilt }

// Close stops all runs where they are, to be resumed by the next Start, and waits for them.
func (r *Runtime) Close(ctx context.Context) error { return nil }

// Post stores a message and queues its run. It returns when both are durable; a repeat with the same run id is a no-op.
func (r *Runtime) Post(ctx context.Context, m wire.ChatMessage) (wire.ChatAck, error) {
	return wire.ChatAck{}, errNotBuilt
}

// ApplyChat is Post within the transaction that takes in a reliable frame. WakeChat must follow the commit.
func (r *Runtime) ApplyChat(tx *sql.Tx, m wire.ChatMessage) error { return errNotBuilt }

// WakeChat starts what ApplyChat has stored.
func (r *Runtime) WakeChat(m wire.ChatMessage) {}

// Cancel stops the tree that a run belongs to and returns when it has stopped.
func (r *Runtime) Cancel(ctx context.Context, c wire.RunCancel) (wire.ChatAck, error) {
	return wire.ChatAck{}, errNotBuilt
}

// ApplyCancel is Cancel within the transaction that takes in a reliable frame: it holds even for a message that is
// still on its way. WakeCancel must follow the commit.
func (r *Runtime) ApplyCancel(tx *sql.Tx, c wire.RunCancel) error { return errNotBuilt }

// WakeCancel carries out what ApplyCancel has stored.
func (r *Runtime) WakeCancel(c wire.RunCancel) {}

// Dispatch runs task as a delegated run of agent target and returns its answer. parentCall is the id of the
// agent_dispatch call: a repeat with the same id goes on with the same run. A refusal is a *tool.Refused.
func (r *Runtime) Dispatch(ctx context.Context, parentCall, target, task, background string) (tool.Result, error) {
	return tool.Result{}, errNotBuilt
}

// OnReceipt tells the runtime of a receipt that was just committed.
func (r *Runtime) OnReceipt(rc wire.Receipt) {}

// OnApproval tells the runtime that an approval was asked or changed its state.
func (r *Runtime) OnApproval(a wire.Approval) {}

// Active counts the runs that are running, and Parked those that wait for a person.
func (r *Runtime) Active() (active, parked int) { return 0, 0 }

// RPC answers the chat, run, session and agents methods of the link. Its errors are *wire.RPCError when they may be
// shown.
func (r *Runtime) RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
	return nil, errNotBuilt
}
