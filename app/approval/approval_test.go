package approval_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func item(tier string) approval.Item {
	return approval.Item{CustomerID: "c1", Approval: wire.Approval{
		ID: "a1", Tier: tier, Digest: "d1", Windows: []int{15, 60}, State: wire.ApprovalPending, Execution: wire.ExecNone,
		ExpiresAt: now.Add(24 * time.Hour), Summary: "s", Args: json.RawMessage(`{}`), Facts: []wire.Fact{{Name: "files"}},
		Reason: "r", WhyAsked: "w", Diff: &wire.Diff{},
	}}
}

var owner = wire.DecidedBy{UserID: "u1", Name: "someone@example.com", Role: "owner"}

func TestItem_Decide(t *testing.T) {
	t.Parallel()
	once := approval.Answer{Verb: wire.AllowOnce, By: owner}
	for _, c := range []struct {
		name string
		tier string
		at   time.Time
		ans  approval.Answer
		want error // nil: it is taken
		kind fault.Kind
	}{
		{"allow", "red", now, once, nil, ""},
		{"one second before the end", "red", now.Add(24*time.Hour - time.Second), once, nil, ""},
		{"at the end", "red", now.Add(24 * time.Hour), once, approval.ErrExpired, ""},
		{"deny with a reason", "critical_red", now, approval.Answer{Verb: wire.Deny, Reason: "no", By: owner}, nil, ""},
		{"what was seen", "red", now, approval.Answer{Verb: wire.AllowOnce, Digest: "d1", By: owner}, nil, ""},
		{"something else was seen", "red", now, approval.Answer{Verb: wire.AllowOnce, Digest: "d2", By: owner}, approval.ErrChanged, ""},
		{"staff deny", "red", now, approval.Answer{Verb: wire.Deny, By: wire.DecidedBy{Role: "staff"}}, nil, ""},
		{"staff allow once", "red", now, approval.Answer{Verb: wire.AllowOnce, By: wire.DecidedBy{Role: "staff"}}, nil, ""},
		{"staff open a window", "yellow", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 5, By: wire.DecidedBy{Role: "staff"}}, approval.ErrStaffOnce, fault.Forbidden},
		{"staff make a rule", "yellow", now, approval.Answer{Verb: wire.AllowRule, Scope: json.RawMessage(`{"rule":"x"}`), By: wire.DecidedBy{Role: "staff"}}, approval.ErrStaffOnce, fault.Forbidden},
		{"staff edit", "yellow", now, approval.Answer{Verb: wire.Edit, Args: json.RawMessage(`{"a":1}`), By: wire.DecidedBy{Role: "staff"}}, approval.ErrStaffOnce, fault.Forbidden},
		{"the server itself", "red", now, approval.Answer{Verb: wire.Deny, By: wire.DecidedBy{Role: "agentd"}}, approval.ErrNotAPerson, ""},
		{"nobody", "red", now, approval.Answer{Verb: wire.AllowOnce}, approval.ErrNotAPerson, ""},
		{"window", "yellow", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 480, By: owner}, nil, ""},
		{"window too long", "yellow", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 481, By: owner}, nil, fault.Invalid},
		{"red window", "red", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 60, By: owner}, nil, ""},
		{"red window too long", "red", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 61, By: owner}, nil, fault.Invalid},
		{"critical window", "critical_red", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 1, By: owner}, nil, fault.Invalid},
		{"window of an unknown tier", "purple", now, approval.Answer{Verb: wire.AllowWindow, Minutes: 1, By: owner}, nil, fault.Invalid},
		{"window of no minutes", "yellow", now, approval.Answer{Verb: wire.AllowWindow, By: owner}, nil, fault.Invalid},
		{"edit", "red", now, approval.Answer{Verb: wire.Edit, Args: json.RawMessage(` {"a":1}`), By: owner}, nil, ""},
		{"edit without arguments", "red", now, approval.Answer{Verb: wire.Edit, By: owner}, nil, fault.Invalid},
		{"edit with a list", "red", now, approval.Answer{Verb: wire.Edit, Args: json.RawMessage(`[1]`), By: owner}, nil, fault.Invalid},
		{"edit with half an object", "red", now, approval.Answer{Verb: wire.Edit, Args: json.RawMessage(`{"a":`), By: owner}, nil, fault.Invalid},
		{"no verb", "red", now, approval.Answer{By: owner}, nil, fault.Invalid},
		{"long reason", "red", now, approval.Answer{Verb: wire.Deny, Reason: strings.Repeat("x", 2001), By: owner}, nil, fault.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := item(c.tier)
			before := item(c.tier)
			d, err := a.Decide(c.ans, c.at)
			if c.want != nil || c.kind != "" {
				if c.want != nil && !errors.Is(err, c.want) || c.kind != "" && (err == nil || fault.Of(err).Kind != c.kind) {
					t.Fatalf("error %v", err)
				}
				if !reflect.DeepEqual(a, before) {
					t.Fatal("a refused answer changed the approval")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkDecided(t, a, d, c.ans, c.at)
		})
	}
}

func checkDecided(t *testing.T, a approval.Item, d wire.Decision, ans approval.Answer, at time.Time) {
	t.Helper()
	state := wire.ApprovalAllowed
	if ans.Verb == wire.Deny {
		state = wire.ApprovalDenied
	}
	if a.State != state || a.Verb != ans.Verb || a.DecidedBy == nil || !a.DecidedBy.Time.Equal(at) {
		t.Errorf("it stands as %s %s by %v", a.State, a.Verb, a.DecidedBy)
	}
	if a.Summary != "" || a.Args != nil || a.Facts != nil || a.Reason != "" || a.WhyAsked != "" || a.Diff != nil {
		t.Errorf("contents are left: %+v", a)
	}
	if d.ApprovalID != "a1" || d.Digest != "d1" || d.Verb != ans.Verb || d.Reason != ans.Reason || string(d.Args) != string(ans.Args) {
		t.Errorf("the decision is %+v", d)
	}
}

func TestItem_Decide_twice(t *testing.T) {
	t.Parallel()
	a := item("red")
	if _, err := a.Decide(approval.Answer{Verb: wire.Deny, By: owner}, now); err != nil {
		t.Fatal(err)
	}
	_, err := a.Decide(approval.Answer{Verb: wire.AllowOnce, By: owner}, now.Add(time.Minute))
	var first *approval.DecidedError
	if !errors.As(err, &first) || !errors.Is(err, approval.ErrDecided) || fault.Of(err).Kind != fault.Conflict {
		t.Fatalf("error %v", err)
	}
	raw, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"decision":"deny","by":"someone@example.com","time":"2026-03-02T09:00:00Z","state":"denied"}`; string(raw) != want {
		t.Fatalf("the second is told %s", raw)
	}
}

// TestItem_Decide_denySigned: what nobody has checked is neither recorded nor sent on: a denial says nothing about a key.
func TestItem_Decide_denySigned(t *testing.T) {
	t.Parallel()
	a := item("red")
	d, err := a.Decide(approval.Answer{Verb: wire.Deny, By: owner, Signature: &wire.Signature{KeyID: "another's"}}, now)
	if err != nil || d.Signature != nil {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestItem_Apply(t *testing.T) {
	t.Parallel()
	states := []wire.ApprovalState{
		wire.ApprovalPending, wire.ApprovalAllowed, wire.ApprovalDenied, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded,
	}
	for _, from := range states {
		for _, to := range states {
			a := item("red")
			if from != wire.ApprovalPending {
				if err := a.Apply(wire.ApprovalUpdate{State: from}, now); err != nil {
					t.Fatalf("pending to %s: %v", from, err)
				}
			}
			err := a.Apply(wire.ApprovalUpdate{State: to, Next: "a2"}, now)
			switch {
			case to == wire.ApprovalPending && from != to && err == nil:
				t.Errorf("%s was opened again", from)
			case from == wire.ApprovalDenied && to == wire.ApprovalAllowed && err == nil:
				t.Error("a no became a yes")
			case err == nil && a.State != to:
				t.Errorf("%s to %s ended at %s", from, to, a.State)
			case err != nil && a.State != from:
				t.Errorf("%s to %s was refused and yet it is %s", from, to, a.State)
			case a.State != wire.ApprovalPending && (a.Args != nil || a.DecidedBy == nil):
				t.Errorf("%s to %s left %s by %v", from, to, a.Args, a.DecidedBy)
			}
		}
	}
}

func TestItem_Apply_executionOnlyForward(t *testing.T) {
	t.Parallel()
	a := item("red")
	for _, step := range []struct{ say, want wire.Execution }{
		{wire.ExecQueued, wire.ExecQueued},
		{wire.ExecRunning, wire.ExecRunning},
		{wire.ExecQueued, wire.ExecRunning},
		{wire.ExecUnknown, wire.ExecUnknown},
		{wire.ExecDone, wire.ExecDone},
		{wire.ExecRunning, wire.ExecDone},
	} {
		if err := a.Apply(wire.ApprovalUpdate{State: wire.ApprovalAllowed, Execution: step.say}, now); err != nil {
			t.Fatal(err)
		}
		if a.Execution != step.want {
			t.Fatalf("after %s it is %s, want %s", step.say, a.Execution, step.want)
		}
	}
	if err := a.Apply(wire.ApprovalUpdate{State: wire.ApprovalSuperseded, Execution: wire.ExecRunning}, now); err != nil {
		t.Fatal(err)
	}
	if a.Execution != wire.ExecNone {
		t.Fatalf("superseded and %s", a.Execution)
	}
}
