package gate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// waiting is a call about which a person is asked.
type waiting struct {
	call gate.Call
	f    *flight
	a    wire.Approval
}

func (s *safe) wait(action, path string) waiting {
	s.t.Helper()
	c := s.reach("", reach{Tier: "yellow", Action: action, Path: path})
	f, a := s.ask(c)
	return waiting{c, f, a}
}

// allows lets a call through and says what became of it.
func (s *safe) allows(w waiting, want wire.ToolState) gate.Outcome {
	s.t.Helper()
	s.decide(gatetest.Answer(w.a, wire.AllowOnce))
	out := w.f.end(s.t)
	s.wantState(out, want)
	return out
}

// edits puts another action in the place of what was asked.
func (s *safe) edits(w waiting, action string, want wire.ToolState) {
	s.t.Helper()
	d := gatetest.Answer(w.a, wire.Edit)
	var err error
	if d.Args, err = json.Marshal(reach{Tier: "yellow", Action: action}); err != nil {
		s.t.Fatal(err)
	}
	s.decide(d)
	s.wantState(w.f.end(s.t), want)
}

func (s *safe) wantLimited(w waiting, kind string, after float64) {
	s.t.Helper()
	if b := s.body(w.call.RunID, "call.limited"); b["limit"] != kind || b["retry_after_s"] != after {
		s.t.Errorf("%v, want %s after %v s", b, kind, after)
	}
	s.wantRan(w.call.ID, 0)
	if a := s.approval(w.a.ID); a.State != wire.ApprovalAllowed || a.Execution != wire.ExecFailed {
		s.t.Errorf("the approval is %s, %s", a.State, a.Execution)
	}
	types, err := s.Types(w.call.RunID)
	if want := []string{"call.limited", "call.denied"}; err != nil || !slices.Equal(types[max(0, len(types)-2):], want) {
		s.t.Errorf("receipts %v, %v, want %v at the end", types, err, want)
	}
}

// TestStart_hours: what was asked within the hours and allowed after them does not run at night.
func TestStart_hours(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules("version: 1\nrules:\n" +
		"  - {id: day, action: a.b.day, effect: ask, limits: {hours: {from: \"08:00\", to: \"18:00\", zone: UTC}}}\n")
	in, late, dead := s.wait("a.b.day", "in"), s.wait("a.b.day", "late"), s.wait("a.b.day", "dead")
	s.clock.move(5 * time.Hour)
	s.allows(in, wire.ToolDone)
	s.clock.move(6 * time.Hour) // 23:00
	if out := s.allows(late, wire.ToolDenied); !strings.Contains(out.Text, "certain hours") || !strings.Contains(out.Text, "Try again in 9h") {
		t.Errorf("model reads %q", out.Text)
	}
	s.wantLimited(late, "hours", 9*3600)
	s.restart()
	f := s.fly(dead.call) // of a former life, too
	s.decide(gatetest.Answer(dead.a, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDenied)
	s.wantLimited(dead, "hours", 9*3600)
}

// TestStart_otherRules: calls that waited while the rules changed start within the new limits, and each counts once.
func TestStart_otherRules(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	rules := func(limits string) {
		s.setRules("version: 1\nrules:\n  - {id: few, action: a.b.few, effect: " + limits + "}\n")
	}
	rules("ask")
	first, second, third := s.wait("a.b.few", "1"), s.wait("a.b.few", "2"), s.wait("a.b.few", "3")
	rules("allow, limits: {rate: 2/h}")
	s.allows(first, wire.ToolDone)
	s.allows(second, wire.ToolDone)
	s.allows(third, wire.ToolDenied)
	s.wantLimited(third, "rate", 1800)
	s.clock.move(30 * time.Minute)
	s.wantEffect("when one has come back", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Allow)
	s.wantEffect("when none has", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Deny)

	s.clock.move(2 * time.Hour)
	rules("ask")
	old := s.wait("a.b.few", "4")
	s.clock.move(time.Hour)
	rules("allow, limits: {cooldown: 10m}")
	s.wantEffect("overtakes", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Allow)
	s.clock.move(time.Minute)
	s.allows(old, wire.ToolDenied)
	s.wantLimited(old, "cooldown", 540)
}

// TestStart_sameRules: what was counted when it was asked about is not counted again when it starts.
func TestStart_sameRules(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules("version: 1\nrules:\n  - {id: few, action: a.b.few, effect: ask, limits: {rate: 2/h}}\n")
	one, two := s.wait("a.b.few", "1"), s.wait("a.b.few", "2")
	s.allows(one, wire.ToolDone)
	s.allows(two, wire.ToolDone)
	s.clock.move(30 * time.Minute)
	s.allows(s.wait("a.b.few", "3"), wire.ToolDone)
}

// TestStart_edited: arguments that a person put in are held to the limits of the rules that they come under.
func TestStart_edited(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules("version: 1\nrules:\n  - {id: any, action: a.b.any, effect: ask}\n" +
		"  - {id: few, action: a.b.few, effect: allow, limits: {rate: 1/h}}\n")
	one, two := s.wait("a.b.any", "1"), s.wait("a.b.any", "2")
	s.edits(one, "a.b.few", wire.ToolDone)
	s.edits(two, "a.b.few", wire.ToolDenied)
	s.wantLimited(two, "rate", 3600)
	s.clock.move(30 * time.Minute)
	s.wantEffect("too soon", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Deny)
	s.clock.move(30 * time.Minute)
	s.wantEffect("in time", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Allow)
}
