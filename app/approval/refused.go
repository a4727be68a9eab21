package approval

import (
	"context"
	"slices"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// refused records that an answer to a was not taken, and why, after the transaction that came to nothing: who tries
// what is not theirs to allow leaves a trace, as who allows does. It gives back cause, whatever becomes of the record.
func (s *Service) refused(ctx context.Context, a Item, ans Answer, cause error) error {
	why := fault.Of(cause)
	if a.ID == "" || why.Kind == fault.Internal {
		return cause // there is no such question, or the fault is ours
	}
	d := wire.Decision{Verb: known(ans.Verb), By: ans.By}
	d.By.Time = s.Now().UTC()
	if ans.Signature != nil && wellFormed(*ans.Signature) {
		d.Signature = ans.Signature
	}
	e := entry(a, d, ans.Staff)
	e.Action, e.Details["why"] = "approval.refuse", why.Code
	if err := s.Record.Add(context.WithoutCancel(ctx), e); err != nil { // who leaves at once is recorded all the same
		s.Log.ErrorContext(ctx, "refused answer not recorded", "approval_id", a.ID, "why", why.Code, "error", err)
	}
	return cause
}

// known is a verb as records may name it: what else was sent is a stranger's text.
func known(v wire.Verb) wire.Verb {
	if slices.Contains([]wire.Verb{wire.AllowOnce, wire.AllowWindow, wire.AllowRule, wire.Edit, wire.Deny}, v) {
		return v
	}
	return "unknown"
}
