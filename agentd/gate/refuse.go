package gate

import (
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
