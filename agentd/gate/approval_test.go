package gate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

func TestApproval_allowOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	if a.Digest != wire.DigestOf(a) || len(a.Code) != 6 || a.ServerID != gatetest.ServerID || !slices.Equal(a.Windows, []int{15, 60}) {
		t.Errorf("approval %+v", a)
	}
	if want := b.clock.now().Add(24 * time.Hour); !a.ExpiresAt.Equal(want) {
		t.Errorf("expires %s, want %s", a.ExpiresAt, want)
	}
	b.wantRan(c.ID, 0)
	yes := gatetest.Answer(a, wire.AllowOnce)
	yes.Reason = "asked by phone"
	b.decide(yes)
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
	if said := b.approval(a.ID).DenyReason; said != yes.Reason {
		t.Errorf("why it was allowed is kept as %q", said)
	}
	b.wantTypes(c.RunID, "call.requested", "call.classified", "call.asked", "call.approved", "call.started", "call.finished")
	if by := b.body(c.RunID, "call.approved")["decided_by"].(map[string]any); by["name"] != "owner@example.com" || by["method"] != "session" {
		t.Errorf("decided by %v", by)
	}
	if a = b.approval(a.ID); a.State != wire.ApprovalAllowed || a.Execution != wire.ExecDone {
		t.Errorf("approval ends %s, %s", a.State, a.Execution)
	}
	b.decide(gatetest.Answer(a, wire.AllowOnce)) // a replay
	b.decide(gatetest.Answer(a, wire.Deny))
	b.wantRan(c.ID, 1)
	if why := b.body(c.RunID, "approval.refused")["why"]; why != "it was allowed before" {
		t.Errorf("replay refused because %v", why)
	}
}

func TestApproval_deny(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	d := gatetest.Answer(a, wire.Deny)
	d.Reason = "not on a Sunday"
	b.decide(d)
	out := f.end(t)
	b.wantState(out, wire.ToolDenied)
	if !strings.Contains(out.Text, "not on a Sunday") {
		t.Errorf("model reads %q", out.Text)
	}
	b.wantRan(c.ID, 0)
	b.wantTypes(c.RunID, "call.requested", "call.classified", "call.asked", "call.denied")
}

func TestApproval_refusedDecisions(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	unknown := gatetest.Answer(a, wire.AllowOnce)
	unknown.ApprovalID = id(t)
	forged := gatetest.Answer(a, wire.AllowOnce)
	forged.Digest = strings.Repeat("0", 64)
	staff := gatetest.Answer(a, wire.AllowOnce)
	staff.By.Role = "staff"
	for name, d := range map[string]wire.Decision{"unknown": unknown, "forged": forged, "staff": staff} {
		before := len(b.Sent())
		b.decide(d)
		b.wantRan(c.ID, 0)
		if got := b.approval(a.ID).State; got != wire.ApprovalPending {
			t.Errorf("%s: approval is %s", name, got)
		}
		if len(b.Sent()) == before {
			t.Errorf("%s: the hub was not told", name)
		}
	}
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	if n := count(t, b, "approval.refused"); n != 2 {
		t.Errorf("%d refusals on record, want 2", n)
	}
	if n := count(t, b, "call.denied"); n != 1 { // the owner's key does not sign for staff
		t.Errorf("%d refusals of a signature on record, want 1", n)
	}
}

// count counts receipts of a type in the whole log.
func count(t *testing.T, b *bench, kind string) (n int) {
	t.Helper()
	if err := b.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM receipts WHERE type = ?", kind).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestApproval_edit(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, tc := range map[string]struct {
		args  string
		again string // why it is asked again; empty: it runs as edited
	}{
		"same tier":    {`{"tier":"red","key":"edited"}`, ""},
		"lower tier":   {`{"tier":"yellow","key":"lower"}`, ""},
		"higher tier":  {`{"tier":"critical_red","key":"higher"}`, "riskier"},
		"outward":      {`{"tier":"yellow_external","key":"outward"}`, "riskier"},
		"does not fit": {`{"tier":"red"}`, "do not fit"},
		"not JSON":     {`{"tier":`, "do not fit"},
		"forbidden":    {`{"tier":"forbidden","key":"k"}`, "never allowed"},
	} {
		c := b.call("act", "red", "")
		f, a := b.ask(c)
		d := gatetest.Answer(a, wire.Edit)
		d.Args = json.RawMessage(tc.args)
		if !json.Valid(d.Args) {
			d.Args = json.RawMessage(`"` + strings.ReplaceAll(tc.args, `"`, `\"`) + `"`)
		}
		b.decide(d)
		if tc.again == "" {
			b.wantState(f.end(t), wire.ToolDone)
			effects, err := b.ledger.Effects()
			if last := effects[len(effects)-1]; err != nil || last.CallID != c.ID || last.ArgsHash == a.ArgsHash {
				t.Errorf("%s: ran %v, want the edited arguments", name, last)
			}
			if kept, err := b.Gate.Approval(t.Context(), a.ID); err != nil || !sameJSON(kept.Edited, tc.args) ||
				!sameJSON(kept.Args, string(a.Args)) {
				t.Errorf("%s: kept %s beside %s, %v", name, kept.Edited, kept.Args, err)
			}
			continue
		}
		next := b.successor(a.ID)
		b.wantRan(c.ID, 0)
		if !strings.Contains(next.WhyAsked, tc.again) || next.Digest == a.Digest || next.Code == a.Code {
			t.Errorf("%s: asked again as %+v", name, next)
		}
		if kept := cmp.Or(string(next.Typed), string(next.Args)); !sameJSON(json.RawMessage(kept), string(d.Args)) {
			t.Errorf("%s: what the person typed is lost: %s", name, kept)
		}
		b.decide(gatetest.Answer(a, wire.AllowOnce)) // the old one allows nothing anymore
		b.wantRan(c.ID, 0)
		b.decide(gatetest.Answer(next, wire.AllowOnce))
		b.wantState(f.end(t), wire.ToolDone)
		b.wantRan(c.ID, 1)
		if got := b.approval(next.ID); got.State != wire.ApprovalAllowed || got.Execution != wire.ExecDone {
			t.Errorf("%s: the new approval ends %s, %s", name, got.State, got.Execution)
		}
	}
}

func sameJSON(a []byte, b string) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// successor waits for the approval that replaces one.
func (b *bench) successor(id string) wire.Approval {
	b.t.Helper()
	for deadline := time.Now().Add(forLong); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if a := b.approval(id); a.State == wire.ApprovalSuperseded {
			return b.approval(a.Next)
		}
	}
	b.t.Fatalf("approval %s was not replaced: %+v", id, b.approval(id))
	return wire.Approval{}
}

func TestApproval_window(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	d := gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 61 // red: one hour at most
	b.decide(d)
	a = b.successor(a.ID)
	d = gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 60
	b.decide(d)
	b.wantState(f.end(t), wire.ToolDone)
	b.wantState(b.do(b.call("act", "red", "")), wire.ToolDone)

	other := b.call("write", "red", "")
	g, _ := b.ask(other) // another tool
	g.stop()
	worse := b.call("act", "critical_red", "")
	g, critical := b.ask(worse)
	if len(critical.Windows) != 0 {
		t.Errorf("windows offered for critical_red: %v", critical.Windows)
	}
	g.stop()
	agent := b.call("act", "red", "")
	agent.Agent = "it-admin"
	g, _ = b.ask(agent)
	g.stop()

	b.restart()
	b.wantState(b.do(b.call("act", "red", "")), wire.ToolDone)
	b.clock.move(60*time.Minute + time.Second)
	g, _ = b.ask(b.call("act", "red", ""))
	g.stop()
}

func TestApproval_expires(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	b.clock.move(24*time.Hour - time.Second)
	if got := b.approval(a.ID).State; got != wire.ApprovalPending {
		t.Fatalf("a second too early: %s", got)
	}
	b.clock.move(time.Second)
	b.decide(gatetest.Answer(a, wire.AllowOnce)) // agentd's clock decides, not when the person clicked
	out := f.end(t)
	b.wantState(out, wire.ToolDenied)
	b.wantRan(c.ID, 0)
	b.wantTypes(c.RunID, "call.requested", "call.classified", "call.asked", "call.expired", "approval.refused")
}

func TestApproval_clockBack(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	b.clock.move(23 * time.Hour)
	early := gatetest.Answer(a, wire.AllowOnce)
	early.Digest = "" // refused, and the moment is kept
	b.decide(early)
	b.clock.move(-22 * time.Hour)
	f.stop()
	<-f.done
	b.clock.move(time.Hour)
	late := b.call("act", "red", "")
	_, second := b.ask(late)
	if !second.CreatedAt.After(a.CreatedAt.Add(23*time.Hour + 59*time.Minute)) {
		t.Errorf("the gate's clock went back: %s after %s", second.CreatedAt, a.CreatedAt)
	}
	b.restart()
	if left := b.approval(second.ID).ExpiresAt.Sub(second.CreatedAt); left > 24*time.Hour {
		t.Errorf("life of %s", left)
	}
}

func TestApproval_survivesRestart(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	b.restart()
	<-f.done
	if f.err == nil {
		t.Fatalf("a call parked at shutdown ended: %+v", f.out)
	}
	if got := b.approval(a.ID).State; got != wire.ApprovalPending {
		t.Fatalf("approval is %s after a restart", got)
	}
	b.decide(gatetest.Answer(a, wire.AllowOnce)) // before the runtime has come back to the call
	b.restart()
	b.wantRan(c.ID, 0)
	out, err := b.Gate.Do(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.wantState(out, wire.ToolDone)
	b.wantRan(c.ID, 1)
	b.restart()
	b.wantState(b.do(c), wire.ToolDone)
	b.wantRan(c.ID, 1)
}

func TestApproval_stop(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	f.stop()
	b.wantState(f.end(t), wire.ToolStopped)
	if got := b.approval(a.ID).State; got != wire.ApprovalWithdrawn {
		t.Errorf("approval is %s", got)
	}
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantRan(c.ID, 0)
	b.wantTypes(c.RunID, "call.requested", "call.classified", "call.asked", "call.withdrawn", "approval.refused")
}

func TestApproval_limits(t *testing.T) {
	t.Parallel()
	b := open(t)
	first := b.call("act", "red", "")
	b.ask(first)
	same := b.call("act", "red", "")
	same.Args = first.Args
	out := b.do(same)
	b.wantState(out, wire.ToolDenied)
	if !strings.Contains(out.Text, "already waits") {
		t.Errorf("model reads %q", out.Text)
	}
	for range 19 {
		b.ask(b.call("act", "red", ""))
	}
	out = b.do(b.call("act", "red", ""))
	b.wantState(out, wire.ToolDenied)
	if !strings.Contains(out.Text, "20 of your requests") {
		t.Errorf("model reads %q", out.Text)
	}
	other := b.call("act", "red", "")
	other.Agent = "it-admin"
	b.ask(other)
}

func TestApproval_rulesChange(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.configure(wire.Config{Version: 1})
	c := b.call("act", "red", "")
	c.Level = 3
	f, a := b.ask(c)
	b.configure(wire.Config{Version: 2, DefaultLevel: 1})
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	next := b.successor(a.ID)
	if next.PolicyVersion != 2 || !strings.Contains(next.WhyAsked, "rules changed") {
		t.Errorf("asked again as %+v", next)
	}
	b.configure(wire.Config{Version: 3, DefaultLevel: 3})
	b.decide(gatetest.Answer(next, wire.AllowOnce)) // under the new rules nobody needs to be asked
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
}

// TestApproval_spendChanges: a new month of tokens, another model or a budget asks nobody again.
func TestApproval_spendChanges(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.configure(wire.Config{Version: 1, DefaultLevel: 1})
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	b.configure(wire.Config{
		Version: 2, DefaultLevel: 1, Agents: map[string]wire.AgentConfig{}, By: wire.Origin{Channel: "operator"},
		Spend: wire.Spend{Pool: &wire.Pool{From: b.clock.now(), To: b.clock.now().AddDate(0, 1, 0), Tokens: 15_000_000}},
	})
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
}

func TestApproval_levels(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.configure(wire.Config{Version: 1, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"secretary": {Level: 1}}})
	c := b.call("act", "yellow", "")
	c.Level = 3 // what a caller claims never raises what the owner has set
	f, _ := b.ask(c)
	f.stop()
	b.configure(wire.Config{Version: 2, DefaultLevel: 3})
	c = b.call("act", "red", "")
	c.Level = 1 // delegated by an agent that has to ask
	f, _ = b.ask(c)
	f.stop()
	ext := b.call("act", "yellow_external", "")
	ext.Level = 3
	f, _ = b.ask(ext)
	f.stop()
	b.configure(wire.Config{Version: 3, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"secretary": {Unlocked: []string{"act"}}}})
	ext = b.call("act", "yellow_external", "")
	ext.Level = 3
	b.wantState(b.do(ext), wire.ToolDone)
	off := map[string]wire.AgentConfig{"secretary": {Off: true}}
	b.configure(wire.Config{Version: 4, DefaultLevel: 3, Agents: off})
	b.wantState(b.do(b.call("act", "green", "")), wire.ToolDenied)
}

func TestApproval_manyRaces(t *testing.T) {
	t.Parallel()
	b := open(t)
	for range 10 {
		c := b.call("act", "red", "")
		f, a := b.ask(c)
		verbs := []wire.Verb{wire.AllowOnce, wire.Deny, wire.AllowOnce, wire.Deny}
		errs := make(chan error, len(verbs))
		for _, v := range verbs {
			go func() { errs <- b.Decide(gatetest.Answer(a, v)) }()
		}
		for range verbs {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		out := f.end(t)
		want := map[wire.ApprovalState]wire.ToolState{wire.ApprovalAllowed: wire.ToolDone, wire.ApprovalDenied: wire.ToolDenied}
		state := b.approval(a.ID).State
		b.wantState(out, want[state])
		b.wantRan(c.ID, map[wire.ApprovalState]int{wire.ApprovalAllowed: 1}[state])
	}
}

func TestClose_finishesWhatRuns(t *testing.T) {
	t.Parallel()
	began, go_ := make(chan struct{}), make(chan struct{})
	held := &gatetest.Fake{Name: "held", Began: func(context.Context, gate.Permit, json.RawMessage) {
		close(began)
		<-go_
	}}
	b := open(t, held)
	held.Ledger = b.ledger
	c := b.call("held", "green", "")
	f := b.fly(c)
	<-began
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		b.Gate.Close(t.Context())
	}()
	close(go_)
	b.wantState(f.end(t), wire.ToolDone)
	<-closed
	if _, err := b.Gate.Do(t.Context(), b.call("act", "green", ""), nil); fmt.Sprint(err) != gate.ErrClosing.Error() {
		t.Errorf("a closed gate answers %v", err)
	}
}

// TestApproval_stopAfterAskedAgain stops a call whose question was replaced: the one that waits is withdrawn.
func TestApproval_stopAfterAskedAgain(t *testing.T) {
	t.Parallel()
	b := open(t)
	f, a := b.ask(b.call("act", "red", ""))
	d := gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 1000
	b.decide(d)
	next := b.successor(a.ID)
	f.stop()
	b.wantState(f.end(t), wire.ToolStopped)
	if got := b.approval(next.ID).State; got != wire.ApprovalWithdrawn {
		t.Errorf("the newer question is %s", got)
	}
	b.decide(gatetest.Answer(next, wire.Edit))
	if n, err := b.Gate.Pending(t.Context()); n != 0 || err != nil {
		t.Errorf("%d questions wait, %v", n, err)
	}
}

// TestApproval_clockSetRight: a clock that was ahead for a while, and was set right, keeps nobody from allowing: what was asked
// by the gate's time, which stays ahead, is compared with clocks that never were.
func TestApproval_clockSetRight(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.clock.move(time.Hour)
	b.do(b.call("act", "yellow", ""))
	b.clock.move(-time.Hour)
	for range 3 {
		b.clock.move(time.Minute)
		_, a := b.ask(b.call("act", "red", ""))
		d := gatetest.Answer(a, wire.AllowOnce)
		if err := gatetest.Sign(&d, b.clock.now()); err != nil { // as the owner's browser, whose clock is right
			t.Fatal(err)
		}
		if err := b.Deliver(d); err != nil {
			t.Fatal(err)
		}
		if now := b.approval(a.ID); now.State != wire.ApprovalAllowed {
			t.Errorf("%s: %v", now.State, b.body(a.RunID, "call.denied")["why"])
		}
		b.restart()
	}
}
