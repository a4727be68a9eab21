package gate_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// TestTiers: what the owner treats as riskier is decided as riskier, by tool's action, before and after a person has looked.
func TestTiers(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.configure(wire.Config{Version: 1, DefaultLevel: 2})
	call := func() gate.Call { return s.reach("", reach{Tier: "yellow", Path: "tmp/a"}) }
	s.wantEffect("by the table", call(), policy.Allow)
	s.setRules("version: 1\ntiers: {reach.someone.do: red}\n")
	if why := s.wantEffect("lifted to red", call(), policy.Ask); !strings.Contains(why, "the owner's rules treat it as red") {
		t.Errorf("asked because %q", why)
	}
	s.wantEffect("a read is lifted too", s.reach("", reach{Tier: "green"}), policy.Ask)
	f, a := s.ask(call())
	if a.Tier != string(policy.Red) {
		t.Errorf("the question says %s", a.Tier)
	}
	s.setRules("version: 1\ntiers: {reach.someone.do: forbidden}\n")
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDenied)
	s.wantEffect("lifted to never", call(), policy.Deny)
	s.restart()
	s.wantEffect("after a restart", call(), policy.Deny)
}

// TestTiers_outside: what reaches someone outside is asked at every level until it is unlocked, also as something riskier.
// A window that was opened for what stays inside does not cover it.
func TestTiers_outside(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.configure(wire.Config{Version: 1, DefaultLevel: 2})
	s.setRules("version: 1\ntiers: {reach.someone.do: red}\n")
	f, a := s.ask(s.reach("", reach{Tier: "yellow", Path: "tmp/a"}))
	d := gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 15
	s.decide(d)
	s.wantState(f.end(t), wire.ToolDone)
	s.wantEffect("inside, in the window", s.reach("", reach{Tier: "yellow", Path: "tmp/b"}), policy.Allow)
	out := func() gate.Call { return s.reach("", reach{Tier: "yellow_external", To: "x@example.com"}) }
	s.wantEffect("outside, in the window", out(), policy.Ask)
	if _, a := s.ask(s.reach("", reach{Tier: "yellow_external", To: "y@example.com"})); len(a.Windows) != 0 {
		t.Errorf("a window of %v minutes is offered, which would not cover it", a.Windows)
	}
	s.configure(wire.Config{Version: 2, DefaultLevel: 3})
	s.wantEffect("inside, alone", s.reach("", reach{Tier: "yellow", Path: "tmp/c"}), policy.Allow)
	s.wantEffect("outside, locked", out(), policy.Ask)
}

// TestTiers_changedMeanwhile: rules that come while the guardian looks at a call hold for it.
func TestTiers_changedMeanwhile(t *testing.T) {
	t.Parallel()
	change := func() {}
	j := &judge{says: func(ctx context.Context, m gate.Matter) wire.Judgement {
		change()
		return verdict("allow")(ctx, m)
	}}
	s := openSafe(t, func(d *gate.Deps) { d.Guardian, d.JudgeWithin = j, forLong })
	s.configure(wire.Config{Version: 1, DefaultLevel: 2})
	change = func() { s.setRules("version: 1\ntiers: {reach.someone.do: red}\n") }
	s.wantEffect("lifted meanwhile", s.reach("", reach{Tier: "yellow", Path: "tmp/a"}), policy.Ask)
}
