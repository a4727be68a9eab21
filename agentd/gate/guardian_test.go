package gate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// doubts is a guardian that says what it saw: it blocks what touches "bad", lets "fine" through and doubts all else.
func doubts(_ context.Context, m gate.Matter) wire.Judgement {
	var in reach
	if err := json.Unmarshal(m.Args, &in); err != nil || in.Path == "bad" {
		return wire.Judgement{Verdict: "block", Reason: "saw " + in.Path, Model: "test"}
	}
	says := "escalate"
	if in.Path == "fine" {
		says = "allow"
	}
	return wire.Judgement{Verdict: says, Reason: "saw " + in.Path, Model: "test"}
}

// TestGuardian_edited: what a person edited in gets a second look of its own, where it would have got one as a call.
func TestGuardian_edited(t *testing.T) {
	t.Parallel()
	s := openSafe(t, func(d *gate.Deps) { d.Guardian, d.JudgeWithin = &judge{says: doubts}, forLong })
	asked := []string{"call.requested", "call.classified", "call.judged", "call.asked", "call.approved", "call.classified"}
	edited := func(tier, path string) (gate.Call, *flight, wire.Approval) {
		t.Helper()
		c := s.reach("", reach{Tier: "yellow", Path: "first"})
		f, a := s.ask(c)
		d := gatetest.Answer(a, wire.Edit)
		var err error
		if d.Args, err = json.Marshal(reach{Tier: tier, Path: path}); err != nil {
			t.Fatal(err)
		}
		s.decide(d)
		return c, f, a
	}

	c, f, _ := edited("yellow", "fine")
	s.wantState(f.end(t), wire.ToolDone)
	s.wantTypes(c.RunID, append(asked, "call.judged", "call.started", "call.finished")...)
	if got := s.body(c.RunID, "call.judged"); got["reason"] != "saw fine" {
		t.Errorf("judged: %v", got)
	}

	c, f, _ = edited("yellow", "bad")
	if out := f.end(t); out.State != wire.ToolDenied || !strings.Contains(out.Text, "saw bad") {
		t.Errorf("what the guardian blocks: %s, %q", out.State, out.Text)
	}
	s.wantTypes(c.RunID, append(asked, "call.judged", "call.denied")...)

	c, f, _ = edited("green", "calm")
	s.wantState(f.end(t), wire.ToolDone)
	s.wantTypes(c.RunID, append(asked, "call.started", "call.finished")...)

	c, f, a := edited("critical_red", "third")
	next := s.successor(a.ID)
	if next.Guardian == nil || next.Guardian.Reason != "saw third" {
		t.Errorf("the card shows %+v", next.Guardian)
	}
	s.wantTypes(c.RunID, append(asked, "call.judged", "call.asked")...)
	s.decide(gatetest.Answer(next, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDone)
	if got := s.body(c.RunID, "call.classified"); got["tier"] != "critical_red" {
		t.Errorf("classified: %v", got)
	}
}

// TestGuardian_editedDoubt: who edits and allows has not read what the guardian says of that. When it doubts, a person is
// asked about exactly what was edited in, with its verdict, and once; whatever is edited in after that is judged anew.
func TestGuardian_editedDoubt(t *testing.T) {
	t.Parallel()
	s := openSafe(t, func(d *gate.Deps) { d.Guardian, d.JudgeWithin = &judge{says: doubts}, forLong })
	edit := func(a wire.Approval, path string) {
		t.Helper()
		d := gatetest.Answer(a, wire.Edit)
		var err error
		if d.Args, err = json.Marshal(reach{Tier: "yellow", Path: path}); err != nil {
			t.Fatal(err)
		}
		s.decide(d)
	}
	again := func(a wire.Approval, saw string) wire.Approval {
		t.Helper()
		next := s.successor(a.ID)
		if next.Guardian == nil || next.Guardian.Reason != saw || !strings.Contains(next.WhyAsked, "guardian") ||
			!strings.Contains(next.WhyAsked, saw) {
			t.Errorf("asked again because %q, the card shows %+v", next.WhyAsked, next.Guardian)
		}
		return next
	}

	c := s.reach("", reach{Tier: "yellow", Path: "first"})
	f, a := s.ask(c)
	edit(a, "second")
	a = again(a, "saw second")
	s.wantRan(c.ID, 0)
	edit(a, "third")
	a = again(a, "saw third")
	s.wantRan(c.ID, 0)
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDone)
	s.wantRan(c.ID, 1)

	f, a = s.ask(s.reach("", reach{Tier: "yellow", Path: "first"}))
	edit(a, "second")
	a = again(a, "saw second")
	edit(a, "bad")
	if out := f.end(t); out.State != wire.ToolDenied || !strings.Contains(out.Text, "saw bad") {
		t.Errorf("what the guardian blocks of a second edit: %s, %q", out.State, out.Text)
	}
}
