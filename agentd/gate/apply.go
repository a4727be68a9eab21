package gate

import (
	"context"
	"database/sql"
	"fmt"
	"runtime/debug"
	"strings"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Apply takes a person's decision, inside the Write that tx belongs to. What does not hold is refused with a
// receipt, and the hub hears how the approval really stands; nothing runs. The error is of the store alone.
func (g *Gate) Apply(ctx context.Context, tx *sql.Tx, d wire.Decision) error {
	ch := g.change(ctx, tx)
	if err := g.clock.keep(ch.ctx, tx, g.clock.now()); err != nil {
		return err
	}
	a, err := loadQuestion(ch.ctx, tx, d.ApprovalID)
	if err != nil {
		return err
	}
	if a == nil {
		return ch.stranger(d)
	}
	failed, err := g.d.DB.Attempt(tx, func() error { return ch.taken(a, d) })
	if err == nil && failed != nil {
		return ch.settled(d, failed)
	}
	return err
}

// taken does what a decision says about a question.
func (ch change) taken(a *question, d wire.Decision) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &refusal{"approval", "a stage of the gate has a fault", ""}
			ch.g.d.Log.Error("a decision met a fault", "approval_id", a.ID, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	g := ch.g
	if a.State == wire.ApprovalPending && !g.clock.now().Before(a.ExpiresAt) {
		if err := ch.expire(a.ID); err != nil {
			return err
		}
		a.State = wire.ApprovalExpired
		return ch.refuse(a, d, "it had expired")
	}
	if why := g.unfit(a, d); why != "" {
		if err := ch.refuse(a, d, why); err != nil {
			return err
		}
		return ch.stillOpen(a, "a decision was refused: "+why)
	}
	if d.Verb == wire.Deny {
		return ch.decide(a, d)
	}
	return ch.allowed(a, d)
}

// unfit says why a decision is none about this approval; empty: it is one.
func (g *Gate) unfit(a *question, d wire.Decision) string {
	switch {
	case a.State != wire.ApprovalPending:
		return "it was " + string(a.State) + " before"
	case d.Digest != a.Digest:
		return "it is about something else than what was asked"
	}
	return ""
}

// decide carries out a decision that is about this approval.
func (ch change) decide(a *question, d wire.Decision) error {
	by := d.By
	a.DecidedBy = &by
	switch d.Verb {
	case wire.Deny:
		return ch.denied(a, d)
	case wire.AllowOnce:
		return ch.allow(a, d, nil)
	case wire.AllowWindow:
		return ch.window(a, d)
	case wire.AllowRule:
		return ch.rule(a, d)
	case wire.Edit:
		return ch.edit(a, d)
	}
	return ch.askAgain(a, d, fmt.Sprintf("this server does not know the answer %q", clip(string(d.Verb), 64)))
}

// denied ends the approval and its call. What the person said goes to the agent.
func (ch change) denied(a *question, d wire.Decision) error {
	a.State, a.DenyReason = wire.ApprovalDenied, redact.Clip(d.Reason, maxNoted)
	if err := ch.question(a, ""); err != nil {
		return err
	}
	text := "A person denied this."
	if r := strings.TrimSpace(a.DenyReason); r != "" {
		text = "A person denied this and said: " + r
	}
	return ch.endCall(a, "call.denied", map[string]any{"stage": "approval", "approval_id": a.ID, "decided_by": d.By, "reason": a.DenyReason}, text)
}

// endCall ends the call of an approval that was answered with no, or not at all.
func (ch change) endCall(a *question, kind string, body any, text string) error {
	r, err := loadRecord(ch.ctx, ch.tx, a.CallID)
	if err != nil || r == nil {
		return err
	}
	if err := ch.receipts([]receipt.Entry{entryOf(r, kind, body)}); err != nil {
		return err
	}
	if r.ended() {
		return nil
	}
	r.State, r.Text, r.EndedAt = wire.ToolDenied, text, ch.g.clock.now()
	return ch.record(r)
}

// allow lets the call run once. extra goes into the receipt.
func (ch change) allow(a *question, d wire.Decision, extra map[string]any) error {
	a.State, a.Execution, a.Key = wire.ApprovalAllowed, wire.ExecQueued, ch.signed.Key
	body := map[string]any{"approval_id": a.ID, "decision": d.Verb, "decided_by": d.By, "digest": a.Digest, "args_hash": a.ArgsHash, "signature": ch.signed.body()}
	if r := strings.TrimSpace(d.Reason); r != "" { // staff say why they decide for a customer
		body["reason"] = redact.Clip(r, maxNoted)
	}
	for k, v := range extra {
		body[k] = v
	}
	if err := ch.note(a, "call.approved", body); err != nil {
		return err
	}
	return ch.question(a, "")
}

// edit lets other arguments run. They must fit and must not be forbidden; whether they are riskier than what was
// asked is found when they are measured, before they run.
func (ch change) edit(a *question, d wire.Decision) error {
	p := &pass{g: ch.g, c: Call{ID: a.CallID, RunID: a.RunID, Agent: a.Agent, Tool: a.Tool, Args: d.Args}}
	if err := p.find(); err != nil {
		return ch.askAgain(a, d, "the tool is gone")
	}
	if err := p.fits(); err != nil {
		return ch.askAgain(a, d, "the edited arguments do not fit: "+err.Error())
	}
	mark, err := ch.maskedIn(a, p.c.Args)
	if err != nil {
		return err
	}
	if mark != "" {
		return ch.askAgain(a, d, "the edited arguments hold "+mark+", which stands for a value that was not shown and would be put in its place; give a secret of the vault as SECRET_REF(name), or say no and tell what should change")
	}
	_ = p.classify()
	p.lift()
	if p.class.Tier == policy.Forbidden {
		return ch.askAgain(a, d, "what was edited in is never allowed: "+p.class.Why)
	}
	a.Edited = p.c.Args
	return ch.allow(a, d, map[string]any{"edited_args_hash": p.argsHash, "edited_args": noted(p.c.Args)})
}

// maskedIn is a mark in edited arguments that does not stand in those of the call, or "": who edits reads them masked, and
// sends back the mark where the secret was.
func (ch change) maskedIn(a *question, args []byte) (mark string, err error) {
	r, err := loadRecord(ch.ctx, ch.tx, a.CallID)
	if err != nil {
		return "", err
	}
	was := ""
	if r != nil {
		was = string(r.Call.Args)
	}
	return redact.Shown(was, string(args)), nil
}
