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

// Apply carries out a person's decision, inside the Write that tx belongs to. A decision that does not hold is refused with a
// receipt, and the hub hears how the approval really stands; nothing runs. Apply returns errors of the store only.
func (g *Gate) Apply(ctx context.Context, tx *sql.Tx, d wire.Decision) error {
	t := g.inTx(ctx, tx)
	if err := g.clock.keep(t.ctx, tx, g.clock.now()); err != nil {
		return err
	}
	a, err := loadApproval(t.ctx, tx, d.ApprovalID)
	if err != nil {
		return err
	}
	if a == nil {
		return t.refuseUnknown(d)
	}
	failed, err := g.db.Attempt(tx, func() error { return t.applyDecision(a, d) })
	if err == nil && failed != nil {
		return t.withdrawUnanswerable(d, failed)
	}
	return err
}

// applyDecision carries out a decision about an approval, or refuses it.
func (t txn) applyDecision(a *approval, d wire.Decision) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &refusal{"approval", "a stage of the gate has a fault", ""}
			t.log.Error("a decision met a fault", "approval_id", a.ID, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	g := t.Gate
	if a.State == wire.ApprovalPending && !g.clock.now().Before(a.ExpiresAt) {
		if err := t.expireApproval(a.ID); err != nil {
			return err
		}
		a.State = wire.ApprovalExpired
		return t.refuseDecision(a, d, "it had expired")
	}
	if why := g.checkDecision(a, d); why != "" {
		if err := t.refuseDecision(a, d, why); err != nil {
			return err
		}
		return t.resendApproval(a, d, "a decision was refused: "+why)
	}
	if d.Verb == wire.Deny {
		return t.applyVerb(a, d)
	}
	return t.applySigned(a, d)
}

// checkDecision says why a decision does not apply to this approval; empty: it does.
func (g *Gate) checkDecision(a *approval, d wire.Decision) string {
	switch {
	case a.State != wire.ApprovalPending:
		return "it was " + string(a.State) + " before"
	case d.Digest != a.Digest:
		return "it is about something else than what was asked"
	}
	return ""
}

// applyVerb carries out a decision that applies to this approval.
func (t txn) applyVerb(a *approval, d wire.Decision) error {
	by := d.By
	a.DecidedBy, a.DenyReason = &by, redact.Clip(strings.TrimSpace(d.Reason), maxReceiptText)
	switch d.Verb {
	case wire.Deny:
		return t.denyApproval(a, d)
	case wire.AllowOnce:
		return t.allowOnce(a, d, nil)
	case wire.AllowWindow:
		return t.allowForWindow(a, d)
	case wire.AllowRule:
		return t.allowAsRule(a, d)
	case wire.Edit:
		return t.allowEdited(a, d)
	}
	return t.askAgain(a, d, fmt.Sprintf("this server does not know the answer %q", clip(string(d.Verb), 64)))
}

// denyApproval ends the approval and its call. The agent reads what the person said.
func (t txn) denyApproval(a *approval, d wire.Decision) error {
	a.State = wire.ApprovalDenied
	if err := t.updateApproval(a, ""); err != nil {
		return err
	}
	text := "A person denied this."
	if a.DenyReason != "" {
		text = "A person denied this and said: " + a.DenyReason
	}
	body := map[string]any{"stage": "approval", "approval_id": a.ID, "decided_by": d.By, "reason": a.DenyReason}
	return t.endCall(a, "call.denied", body, text)
}

// endCall ends the call of an approval that was denied, withdrawn, or not answered.
func (t txn) endCall(a *approval, kind string, body any, text string) error {
	r, err := loadRecord(t.ctx, t.tx, a.CallID)
	if err != nil || r == nil {
		return err
	}
	if err := t.appendReceipts([]receipt.Entry{receiptOf(r, kind, body)}); err != nil {
		return err
	}
	if r.ended() {
		return nil
	}
	r.State, r.Text, r.EndedAt = wire.ToolDenied, text, t.clock.now()
	return t.saveRecord(r)
}

// allowOnce lets the call run once. extra is added to the receipt.
func (t txn) allowOnce(a *approval, d wire.Decision, extra map[string]any) error {
	a.State, a.Execution, a.Key = wire.ApprovalAllowed, wire.ExecQueued, t.signature.Key
	body := map[string]any{
		"approval_id": a.ID, "decision": d.Verb, "decided_by": d.By, "digest": a.Digest, "args_hash": a.ArgsHash,
		"signature": t.signature.asReceipt(),
	}
	if a.DenyReason != "" { // staff say why they decide for a customer
		body["reason"] = a.DenyReason
	}
	for k, v := range extra {
		body[k] = v
	}
	if err := t.addReceipt(a, "call.approved", body); err != nil {
		return err
	}
	return t.updateApproval(a, "")
}

// allowEdited lets other arguments run. They must fit and must not be forbidden. Whether they are riskier than what was asked
// shows when they are measured, before they run.
func (t txn) allowEdited(a *approval, d wire.Decision) error {
	p := &pipeline{Gate: t.Gate, call: Call{ID: a.CallID, RunID: a.RunID, Agent: a.Agent, Tool: a.Tool, Args: d.Args}}
	if err := p.loadTool(); err != nil {
		return t.askAgain(a, d, "the tool is gone")
	}
	if err := p.checkArgs(); err != nil {
		return t.askAgain(a, d, "the edited arguments do not fit: "+err.Error())
	}
	mark, err := t.addedMask(a, p.call.Args)
	if err != nil {
		return err
	}
	if mark != "" {
		return t.askAgain(a, d, "the edited arguments hold "+mark+
			", which stands for a value that was not shown and would be put in its place; "+
			"give a secret of the vault as SECRET_REF(name), or say no and tell what should change")
	}
	_ = p.classify()
	p.applyOwnerTiers()
	if p.class.Tier == policy.Forbidden {
		return t.askAgain(a, d, "what was edited in is never allowed: "+p.class.Why)
	}
	a.Edited = p.call.Args
	return t.allowOnce(a, d, map[string]any{"edited_args_hash": p.argsHash, "edited_args": receiptArgs(p.call.Args)})
}

// addedMask finds a mask in edited arguments that was not in the arguments of the call, or "". A person who edits reads masked
// arguments and sends back the mask in the place of the secret.
func (t txn) addedMask(a *approval, args []byte) (mark string, err error) {
	r, err := loadRecord(t.ctx, t.tx, a.CallID)
	if err != nil {
		return "", err
	}
	was := ""
	if r != nil {
		was = string(r.Call.Args)
	}
	return redact.Shown(was, string(args)), nil
}
