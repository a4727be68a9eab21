package gate

import (
	"errors"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// refused is the receipt of a decision that changed nothing.
const refused = "approval.refused"

// note writes a receipt about the call of an approval.
func (ch change) note(a *question, kind string, body any) error {
	return ch.receipts([]receipt.Entry{{Type: kind, RunID: a.RunID, CallID: a.CallID, Tool: a.Tool, Tier: a.Tier, Body: body}})
}

func (ch change) refuse(a *question, d wire.Decision, why string) error {
	return ch.note(a, refused, map[string]any{
		"approval_id": a.ID, "decision": clip(string(d.Verb), 64), "decided_by": d.By, "digest": clip(d.Digest, 128), "why": clip(why, maxNoted), "state": a.State,
	})
}

// settled ends a question whose answer can never be carried out, whatever the store does: were it tried again, nothing that
// the hub sends after it would ever be taken. Of any other failure the answer comes again.
func (ch change) settled(d wire.Decision, failed error) error {
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
	a, err := loadQuestion(ch.ctx, ch.tx, d.ApprovalID)
	if err != nil || a == nil {
		return err
	}
	d.By = wire.DecidedBy{UserID: clip(d.By.UserID, 64), Name: clip(d.By.Name, 300), Role: clip(d.By.Role, 64), Channel: clip(d.By.Channel, 64), Time: d.By.Time}
	if err := ch.refuse(a, d, why); err != nil || a.State != wire.ApprovalPending {
		return err
	}
	a.State, a.DecidedBy = wire.ApprovalWithdrawn, ch.g.self()
	if err := ch.question(a, clip(why, 300)); err != nil {
		return err
	}
	return ch.endCall(a, "call.withdrawn", map[string]any{"approval_id": a.ID, "why": clip(why, maxNoted)}, "A person answered, but this could not be carried out: "+clip(why, 300)+".")
}

// stranger refuses a decision about an approval that this server never asked.
func (ch change) stranger(d wire.Decision) error {
	why := "this server does not know the request"
	id := clip(d.ApprovalID, 64)
	body := map[string]any{"approval_id": id, "decision": clip(string(d.Verb), 64), "decided_by": d.By, "why": why}
	if err := ch.receipts([]receipt.Entry{{Type: refused, Body: body}}); err != nil {
		return err
	}
	return ch.tell(wire.ApprovalUpdate{ID: id, State: wire.ApprovalWithdrawn, Execution: wire.ExecNone, Note: why, Time: ch.g.clock.now()})
}

// askAgain refuses a decision that is honest but cannot be carried out. The hub has already erased what it asked, so
// the same question is put anew.
func (ch change) askAgain(a *question, d wire.Decision, why string) error {
	a.DecidedBy = nil
	if err := ch.refuse(a, d, why); err != nil {
		return err
	}
	r, err := loadRecord(ch.ctx, ch.tx, a.CallID)
	if err != nil || r == nil || r.ended() {
		return err
	}
	next := *a
	if err := next.stampNew(ch.g.clock.now(), ch.g.waits(next.Tier)); err != nil {
		return err
	}
	next.WhyAsked = "asked again: " + clip(why, maxNoted)
	a.State, a.Next = wire.ApprovalSuperseded, next.ID
	if err := ch.question(a, clip(why, 300)); err != nil {
		return err
	}
	r.Approval = next.ID
	p := &pass{g: ch.g, c: r.Call, class: r.Class, facts: r.Facts}
	next.Rule = p.propose(next.ID)
	return ch.asked(p, r, &next)
}
