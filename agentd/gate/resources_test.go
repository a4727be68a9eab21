package gate_test

import (
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// room is a machine whose room a test sets.
type room struct {
	mu   sync.Mutex
	left policy.Left
}

func (r *room) Left() policy.Left {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

func (r *room) set(free, memory int64) {
	disk := policy.Disk{Free: free, Total: 100e9}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = policy.Left{State: disk, Data: disk, Memory: memory}
}

// starter is a tool that starts programs.
type starter struct{ *gatetest.Fake }

func (s starter) Definition() tool.Definition {
	d := s.Fake.Definition()
	d.Programs = true
	return d
}

// TestResources: what the machine is too short for is not done, with a receipt that says what is short; reading and
// making room go on, and so does everything once there is room.
func TestResources(t *testing.T) {
	t.Parallel()
	r := &room{}
	r.set(50e9, 1<<30)
	s := openSafe(t, func(d *gate.Deps) { d.Machine = r })
	if err := s.Gate.Add(starter{&gatetest.Fake{Name: "starts", Ledger: s.ledger}}); err != nil {
		t.Fatal(err)
	}
	change := reach{Tier: "yellow", Path: "x"}
	s.wantEffect("with room", s.reach("", change), policy.Allow)
	f, a := s.ask(s.reach("", reach{Tier: "red", Path: "waits"}))
	late, b := s.ask(s.reach("", reach{Tier: "red", Path: "waits longer"}))

	r.set(120e6, 1<<30)
	c := s.reach("", change)
	out := s.do(c)
	s.wantState(out, wire.ToolDenied)
	for _, want := range []string{"120.0 MB left", "256.0 MB stay free", "make room", "Try again in 1m0s"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("the model reads %q, not %q", out.Text, want)
		}
	}
	s.wantTypes(c.RunID, "call.requested", "call.classified", "call.limited", "call.denied")
	if got := s.body(c.RunID, "call.limited"); got["limit"] != "resources" || got["retry_after_s"] != 60.0 {
		t.Errorf("%v", got)
	}
	s.wantRan(c.ID, 0)
	s.wantEffect("reading", s.reach("", reach{Tier: "green", Path: "x"}), policy.Allow)
	s.wantState(s.do(s.call("starts", "green", "")), wire.ToolDone)
	s.wantEffect("making room", s.reach("", reach{Tier: "red", Action: "files.file.delete", Path: "old"}), policy.Ask)

	s.decide(gatetest.Answer(a, wire.AllowOnce)) // it was asked with room, and starts without
	s.wantState(f.end(t), wire.ToolDenied)

	r.set(50e9, 20e6)
	s.wantEffect("reading without memory", s.reach("", reach{Tier: "green", Path: "y"}), policy.Allow)
	c = s.call("starts", "green", "")
	if out := s.do(c); out.State != wire.ToolDenied || !strings.Contains(out.Text, "memory") {
		t.Errorf("a program without memory: %s, %q", out.State, out.Text)
	}

	r.set(50e9, 1<<30)
	s.wantEffect("with room again", s.reach("", change), policy.Allow)
	s.decide(gatetest.Answer(b, wire.AllowOnce))
	s.wantState(late.end(t), wire.ToolDone)
}
