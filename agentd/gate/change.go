package gate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// change is one Write of the gate: records, receipts, frames for the hub and what listeners hear, all or nothing.
type change struct {
	g      *Gate
	ctx    context.Context
	tx     *sql.Tx
	signed *Signed // who signed the decision that is carried out; nil for anything else
}

// write runs fn in one durable transaction of the store.
func (g *Gate) write(ctx context.Context, fn func(ch change) error) error {
	return g.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(g.change(ctx, tx)) })
}

// change is a Write that somebody else began. Its statements do not end with ctx: one that is interrupted would take
// the other writes of the batch with it.
func (g *Gate) change(ctx context.Context, tx *sql.Tx) change {
	return change{g: g, ctx: context.WithoutCancel(ctx), tx: tx}
}

func (ch change) receipts(all []receipt.Entry) error {
	for _, e := range all {
		if _, err := ch.g.d.Receipts.Append(ch.tx, e); err != nil {
			return err
		}
	}
	return nil
}

// record keeps r and tells listeners where its call stands.
func (ch change) record(r *record) error {
	if err := r.save(ch); err != nil {
		return err
	}
	root, session, data := r.Call.RootRunID, r.Call.SessionID, r.toolData()
	ch.g.d.DB.OnCommit(ch.tx, func() { ch.g.tellTool(root, session, data) })
	return nil
}

// ask keeps a new approval, signs what it says, and sends it to the hub.
func (ch change) ask(a *question) error {
	if err := ch.vouch(a); err != nil {
		return err
	}
	if err := a.save(ch); err != nil {
		return err
	}
	err := ch.g.d.Outbox.Put(ch.ctx, ch.tx, wire.TypeApprovalRequest, a.Approval)
	if errors.Is(err, wire.ErrTooLarge) {
		return tooLarge()
	}
	if err != nil {
		return fmt.Errorf("send approval: %w", err)
	}
	ch.announce(a)
	return nil
}

// question keeps a changed approval and tells the hub, with a note for people.
func (ch change) question(a *question, note string) error {
	if err := a.save(ch); err != nil {
		return err
	}
	if err := ch.tell(a.update(ch.g.clock.now(), note)); err != nil {
		return err
	}
	ch.announce(a)
	return nil
}

func (ch change) tell(u wire.ApprovalUpdate) error {
	if err := ch.g.d.Outbox.Put(ch.ctx, ch.tx, wire.TypeApprovalUpdate, u); err != nil {
		return fmt.Errorf("send approval update: %w", err)
	}
	return nil
}

// announce wakes who waits for the approval, and tells listeners, once it is durable.
func (ch change) announce(a *question) {
	copied := a.Approval
	ch.g.d.DB.OnCommit(ch.tx, func() {
		ch.g.wake(copied.ID)
		ch.g.tellApproval(copied)
	})
}

func (g *Gate) tellTool(root, session string, d wire.ToolData) {
	for _, l := range g.heard() {
		l.ToolChanged(root, session, d)
	}
}

func (g *Gate) tellApproval(a wire.Approval) {
	for _, l := range g.heard() {
		l.ApprovalChanged(a)
	}
}

func (g *Gate) heard() []Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.listeners
}

// watch gives a channel that is closed when the approval changes. Watch first, then read: so no change is missed.
func (g *Gate) watch(id string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	ch := make(chan struct{})
	g.waiting[id] = append(g.waiting[id], ch)
	return ch
}

func (g *Gate) wake(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, ch := range g.waiting[id] {
		close(ch)
	}
	delete(g.waiting, id)
}

// toolData is the call as chips show it.
func (r *record) toolData() wire.ToolData {
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
