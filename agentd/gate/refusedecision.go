package gate

import (
	"encoding/json"
	"errors"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// receiptRefused is the type of receipt of a decision that changed nothing.
const receiptRefused = "approval.refused"

// addReceipt writes a receipt about the call of an approval.
func (t txn) addReceipt(a *approval, kind string, body any) error {
	return t.appendReceipts([]receipt.Entry{{Type: kind, RunID: a.RunID, CallID: a.CallID, Tool: a.Tool, Tier: a.Tier, Body: body}})
}

func (t txn) refuseDecision(a *approval, d wire.Decision, why string) error {
	return t.addReceipt(a, receiptRefused, map[string]any{
		"approval_id": a.ID, "decision": clip(string(d.Verb), 64), "decided_by": d.By, "digest": clip(d.Digest, 128),
		"why": clip(why, maxReceiptText), "state": a.State,
	})
}

// withdrawUnanswerable withdraws an approval whose answer can never be carried out, whatever the store does: if the answer
// were tried again and again, no later decision of the hub would ever be taken. After any other failure the answer comes
// again.
func (t txn) withdrawUnanswerable(d wire.Decision, failed error) error {
	var no *refusal
	why := "its answer could not be carried out, and the question not be put again: "
	switch {
	case errors.As(failed, &no):
		why += no.why
	case errors.Is(failed, wire.ErrTooLarge):
		why += whyTooLarge
	default:
		return failed
	}
	a, err := loadApproval(t.ctx, t.tx, d.ApprovalID)
	if err != nil || a == nil {
		return err
	}
	d.By = wire.DecidedBy{
		UserID: clip(d.By.UserID, 64), Name: clip(d.By.Name, 300), Role: clip(d.By.Role, 64), Channel: clip(d.By.Channel, 64), Time: d.By.Time,
	}
	if err := t.refuseDecision(a, d, why); err != nil || a.State != wire.ApprovalPending {
		return err
	}
	a.State, a.DecidedBy = wire.ApprovalWithdrawn, t.decidedByAgentd()
	if err := t.updateApproval(a, clip(why, 300)); err != nil {
		return err
	}
	body := map[string]any{"approval_id": a.ID, "why": clip(why, maxReceiptText)}
	return t.endCall(a, "call.withdrawn", body, "A person answered, but this could not be carried out: "+clip(why, 300)+".")
}

// refuseUnknown refuses a decision about an approval that this server never asked for.
func (t txn) refuseUnknown(d wire.Decision) error {
	why := "this server does not know the request"
	id := clip(d.ApprovalID, 64)
	body := map[string]any{"approval_id": id, "decision": clip(string(d.Verb), 64), "decided_by": d.By, "why": why}
	if err := t.appendReceipts([]receipt.Entry{{Type: receiptRefused, Body: body}}); err != nil {
		return err
	}
	return t.sendUpdate(wire.ApprovalUpdate{ID: id, State: wire.ApprovalWithdrawn, Execution: wire.ExecNone, Note: why, Time: t.clock.now()})
}

// askAgain refuses a decision that is honest but cannot be carried out. The hub has already erased the request, so the same
// question is asked again.
func (t txn) askAgain(a *approval, d wire.Decision, why string) error {
	a.DecidedBy = nil
	if err := t.refuseDecision(a, d, why); err != nil {
		return err
	}
	r, err := loadRecord(t.ctx, t.tx, a.CallID)
	if err != nil || r == nil || r.ended() {
		return err
	}
	next := *a
	if err := next.renew(t.clock.now(), t.approvalLife(next.Tier)); err != nil {
		return err
	}
	next.WhyAsked = "asked again: " + clip(why, maxReceiptText)
	next.keepTyped(d)
	a.State, a.Next = wire.ApprovalSuperseded, next.ID
	if err := t.updateApproval(a, clip(why, 300)); err != nil {
		return err
	}
	r.Approval = next.ID
	p := &pipeline{Gate: t.Gate, call: r.Call, class: r.Class, facts: r.Facts}
	next.Rule = p.proposeRule(next.ID)
	return t.saveRequest(p, r, &next)
}

// keepTyped keeps with a question what a person made of its arguments, so that what they wrote is not lost with an answer that
// could not be carried out. It is theirs to go on with: nothing runs it. What would make the question too large is left out.
func (a *approval) keepTyped(d wire.Decision) {
	if d.Verb != wire.Edit || !json.Valid(d.Args) {
		return
	}
	was := a.Typed
	a.Typed = d.Args
	if a.checkSize() != nil {
		a.Typed = was
	}
}
