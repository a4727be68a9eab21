package gate

import (
	"context"
	"database/sql"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// Verifier checks whether a person has signed a decision. approver.Keys is one.
type Verifier interface {
	// Decision checks the signature on a decision to allow a, whose digest it carries, and uses the signature up in tx. It
	// returns errors of the store only.
	Decision(ctx context.Context, tx *sql.Tx, a wire.Approval, d wire.Decision, now time.Time) (Signed, error)
	// Counts reports whether a key may still sign decisions, as tx sees it; without tx, as it was last committed.
	Counts(ctx context.Context, tx *sql.Tx, key string) (bool, error)
}

// Signed is the result of checking a signature.
type Signed struct {
	Why    string // why it allows nothing, in words for people; empty: it allows
	Stale  string // it is valid, but why the question must be asked again; empty: it need not
	Key    string // id of the key
	Kind   wire.KeyKind
	Holder wire.Holder
	Time   time.Time // when it was signed
}

// asReceipt is the signature for a receipt.
func (s Signed) asReceipt() map[string]any {
	return map[string]any{"key_id": s.Key, "kind": s.Kind, "holder": s.Holder, "time": s.Time}
}

// applySigned carries out a decision to allow if a person has signed it.
func (t txn) applySigned(a *approval, d wire.Decision) error {
	s, err := t.deps.Signed.Decision(t.ctx, t.tx, a.Approval, d, t.clock.now())
	switch {
	case err != nil:
		return err
	case s.Why != "":
		return t.refuseUnsigned(a, d, s.Why)
	case s.Stale != "":
		return t.askAgain(a, d, s.Stale)
	}
	t.signature = &s
	return t.applyVerb(a, d)
}

// refuseUnsigned refuses a decision that nobody has signed. The call keeps waiting for a signed one.
func (t txn) refuseUnsigned(a *approval, d wire.Decision, why string) error {
	body := map[string]any{
		"stage": "approval", "reason": "signature", "why": clip(why, maxReceiptText), "approval_id": a.ID, "state": a.State,
		"decision": clip(string(d.Verb), 64), "decided_by": d.By, "digest": a.Digest,
	}
	if d.Signature != nil {
		body["key_id"] = clip(d.Signature.KeyID, 64)
	}
	e := receipt.Entry{Type: "call.denied", RunID: a.RunID, CallID: a.CallID, Tool: a.Tool, Tier: a.Tier, Body: body}
	if err := t.appendReceipts([]receipt.Entry{e}); err != nil {
		return err
	}
	return t.resendApproval(a, d, "the answer was not accepted: "+why)
}

// resendApproval tells the hub that an approval is still pending, whatever the hub has stored. It sends the whole request,
// which the hub erased with the decision.
func (t txn) resendApproval(a *approval, d wire.Decision, note string) error {
	u := a.asUpdate(t.clock.now(), clip(note, 300))
	if a.State == wire.ApprovalPending {
		a.keepTyped(d)
		if err := t.signApproval(a); err != nil { // more secrets may be known, and masked, than when it was asked
			return err
		}
		again := a.Approval
		u.Again = &again
	}
	return t.sendUpdate(u)
}
