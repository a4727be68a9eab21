package approval

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestApply_byChannel: the server takes the first answer. What the owner said by a channel counts over a later no or yes of the portal,
// with who said it; a server that reports a yes of nobody is not believed.
func TestApply_byChannel(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	portal := wire.DecidedBy{Name: "member@example.com", Role: "member", Channel: "portal", Time: now}
	by := wire.DecidedBy{
		Name: "owner@example.com", Role: "owner", Channel: wire.ChannelTelegram, Method: wire.PairedIdentity, Time: now.Add(-time.Second),
	}
	item := func(s wire.ApprovalState, v wire.Verb) *Item {
		own := portal
		return &Item{Approval: wire.Approval{State: s, Execution: wire.ExecNone, DecidedBy: &own}, Verb: v}
	}
	a := item(wire.ApprovalDenied, wire.Deny)
	if err := a.Apply(wire.ApprovalUpdate{State: wire.ApprovalAllowed, DecidedBy: &portal}, now); err == nil {
		t.Error("a no of the portal became a yes of the portal")
	}
	if err := a.Apply(wire.ApprovalUpdate{State: wire.ApprovalAllowed}, now); err == nil {
		t.Error("a no became a yes of nobody")
	}
	if err := a.Apply(wire.ApprovalUpdate{State: wire.ApprovalAllowed, Execution: wire.ExecRunning, DecidedBy: &by}, now); err != nil {
		t.Fatal(err)
	}
	if a.State != wire.ApprovalAllowed || *a.DecidedBy != by || a.Verb != "" || a.Execution != wire.ExecRunning {
		t.Errorf("%+v", a)
	}
	b := item(wire.ApprovalAllowed, wire.AllowOnce)
	if err := b.Apply(wire.ApprovalUpdate{State: wire.ApprovalDenied, DecidedBy: &by}, now); err != nil {
		t.Fatal(err)
	}
	if b.State != wire.ApprovalDenied || *b.DecidedBy != by || b.Verb != "" {
		t.Errorf("%+v", b)
	}
	same := item(wire.ApprovalAllowed, wire.AllowRule)
	for range 2 {
		if err := same.Apply(wire.ApprovalUpdate{State: wire.ApprovalAllowed, Execution: wire.ExecDone, DecidedBy: &by}, now); err != nil {
			t.Fatal(err)
		}
		if *same.DecidedBy != by || same.Verb != "" || same.Execution != wire.ExecDone {
			t.Errorf("both allowed, the channel first: %+v", same)
		}
	}
}
