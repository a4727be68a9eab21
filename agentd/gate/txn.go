package gate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// txn is one Write of the gate: records, receipts, frames for the hub and messages to listeners, all or nothing.
type txn struct {
	*Gate
	ctx       context.Context
	tx        *sql.Tx
	signature *Signed // of the decision that is carried out; nil otherwise
}

// write runs fn in one durable transaction of the store.
func (g *Gate) write(ctx context.Context, fn func(t txn) error) error {
	return g.db.Write(ctx, func(tx *sql.Tx) error { return fn(g.inTx(ctx, tx)) })
}

// inTx is a txn in a Write that somebody else began. Its statements do not end with ctx: an interrupted one would undo the
// other writes of the batch.
func (g *Gate) inTx(ctx context.Context, tx *sql.Tx) txn {
	return txn{Gate: g, ctx: context.WithoutCancel(ctx), tx: tx}
}

func (t txn) appendReceipts(all []receipt.Entry) error {
	for _, e := range all {
		if _, err := t.deps.Receipts.Append(t.tx, e); err != nil {
			return err
		}
	}
	return nil
}

// saveRecord stores r and tells listeners where its call stands.
func (t txn) saveRecord(r *callRecord) error {
	if err := r.upsert(t); err != nil {
		return err
	}
	root, session, data := r.Call.RootRunID, r.Call.SessionID, r.toolData()
	t.db.OnCommit(t.tx, func() { t.notifyTool(root, session, data) })
	return nil
}

// sendApproval signs a new approval, stores it and sends it to the hub.
func (t txn) sendApproval(a *approval) error {
	if err := t.signApproval(a); err != nil {
		return err
	}
	if err := a.upsert(t); err != nil {
		return err
	}
	err := t.deps.Outbox.Put(t.ctx, t.tx, wire.TypeApprovalRequest, a.Approval)
	if errors.Is(err, wire.ErrTooLarge) {
		return tooLargeRefusal()
	}
	if err != nil {
		return fmt.Errorf("send approval: %w", err)
	}
	t.notifyOnCommit(a)
	return nil
}

// updateApproval stores a changed approval and tells the hub, with a note for people.
func (t txn) updateApproval(a *approval, note string) error {
	if err := a.upsert(t); err != nil {
		return err
	}
	if err := t.sendUpdate(a.asUpdate(t.clock.now(), note)); err != nil {
		return err
	}
	t.notifyOnCommit(a)
	return nil
}

func (t txn) sendUpdate(u wire.ApprovalUpdate) error {
	if err := t.deps.Outbox.Put(t.ctx, t.tx, wire.TypeApprovalUpdate, u); err != nil {
		return fmt.Errorf("send approval update: %w", err)
	}
	return nil
}

// notifyOnCommit wakes waiters of the approval and tells listeners, once it is durable.
func (t txn) notifyOnCommit(a *approval) {
	copied := a.Approval
	t.db.OnCommit(t.tx, func() {
		t.wakeWaiters(copied.ID)
		t.notifyApproval(copied)
	})
}

func (g *Gate) notifyTool(root, session string, d wire.ToolData) {
	for _, l := range g.currentListeners() {
		l.ToolChanged(root, session, d)
	}
}

func (g *Gate) notifyApproval(a wire.Approval) {
	for _, l := range g.currentListeners() {
		l.ApprovalChanged(a)
	}
}

func (g *Gate) currentListeners() []Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.listeners
}

// watchApproval gives a channel that is closed when the approval changes. Watch first, then read, so that no change is missed.
func (g *Gate) watchApproval(id string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	ch := make(chan struct{})
	g.waiters[id] = append(g.waiters[id], ch)
	return ch
}

func (g *Gate) wakeWaiters(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, ch := range g.waiters[id] {
		close(ch)
	}
	delete(g.waiters, id)
}

// toolData is the call as chips show it.
func (r *callRecord) toolData() wire.ToolData {
	d := wire.ToolData{
		RunID: r.Call.RunID, Agent: r.Call.Agent, CallID: r.Call.ID, Tool: r.Call.Tool, Tier: string(r.Class.Tier),
		State: r.State, Summary: r.Class.Says, Child: r.Result.Child,
	}
	if r.State == stateStarted {
		d.State = wire.ToolRunning
	}
	if r.Result.Summary != "" {
		d.Summary = r.Result.Summary
	}
	if !r.EndedAt.IsZero() && !r.StartedAt.IsZero() {
		d.MS = r.EndedAt.Sub(r.StartedAt).Milliseconds()
	}
	return d
}
