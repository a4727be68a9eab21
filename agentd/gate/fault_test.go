package gate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// faults is whatever the gate stands on, with a fault in it.
type faults struct{}

func (faults) Look(gate.Leaving) (policy.Opinion, []string)           { panic("on purpose") }
func (faults) Left([]string)                                          { panic("on purpose") }
func (faults) Wrap(string, string, string, string) (string, []string) { panic("on purpose") }
func (faults) Visible(config.State, gate.Call) (bool, string)         { panic("on purpose") }
func (faults) Check(context.Context, []gate.Use) error                { return nil }
func (faults) Grant(context.Context, *sql.Tx, gate.Call, []gate.Use) ([]gate.Lease, error) {
	panic("on purpose")
}

func (faults) Value(context.Context, string, gate.Lease) (secret.Value, error) { panic("on purpose") }

// harmless sees nothing in what leaves, and has a fault when it is to count it.
type harmless struct{ faults }

func (harmless) Look(gate.Leaving) (policy.Opinion, []string) { return policy.Harmless, nil }

// bearer is a fake with a fault where it says which secrets a call would carry.
type bearer struct{ gatetest.Fake }

func (*bearer) Uses([]byte) ([]gate.Use, error) { panic("on purpose") }

// borrower is a fake whose calls carry one secret.
type borrower struct{ gatetest.Fake }

func (*borrower) Uses([]byte) ([]gate.Use, error) { return []gate.Use{{Name: "crm.key"}}, nil }

// act makes a green call of the tool act.
func (s *safe) act(mode string) gate.Call {
	args, err := json.Marshal(gatetest.Args{Tier: "green", Key: "k", Mode: mode})
	if err != nil {
		s.t.Fatal(err)
	}
	c := s.reach("", reach{})
	c.Tool, c.Args = "act", args
	return c
}

// faulty is a stage with a fault, and how a call ends that comes by it.
type faulty struct {
	with  func(*gate.Deps)
	call  func(s *safe) gate.Call
	state wire.ToolState
	last  string // receipt
	stage string
}

var faultyStages = map[string]faulty{
	"the scan of what leaves": {
		func(d *gate.Deps) { d.Outgoing = faults{} },
		func(s *safe) gate.Call { return s.reach("", reach{Tier: "yellow", To: "a@b.example"}) }, wire.ToolDenied, "call.denied", "outgoing",
	},
	"a stage that nothing guards": {
		func(d *gate.Deps) { d.Sets = faults{} },
		func(s *safe) gate.Call { return s.act("") }, wire.ToolDenied, "call.denied", "gate",
	},
	"the places of secrets": {
		nil, func(s *safe) gate.Call {
			c := s.act("")
			c.Tool = "bearer"
			return c
		}, wire.ToolDenied, "call.denied", "lease",
	},
	"the leases": {
		func(d *gate.Deps) { d.Leases = faults{} },
		func(s *safe) gate.Call {
			c := s.act("")
			c.Tool = "borrower"
			return c
		}, wire.ToolDenied, "call.denied", "gate",
	},
	"the block around what comes": {
		func(d *gate.Deps) { d.Ingress = faults{} },
		func(s *safe) gate.Call { return s.act("outside") }, wire.ToolDone, "call.finished", "",
	},
	"the count of what left": {
		func(d *gate.Deps) { d.Outgoing = harmless{} },
		func(s *safe) gate.Call { return s.reach("", reach{Tier: "red", To: "a@b.example"}) }, wire.ToolDone, "call.finished", "",
	},
}

// TestFault: a fault in a stage ends its call with a receipt, and neither the process nor any other call. A call that has not
// begun to run is denied, also in the next process, which would make the same call again.
func TestFault(t *testing.T) {
	t.Parallel()
	for name, tc := range faultyStages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.run(t)
		})
	}
}

func (tc faulty) run(t *testing.T) {
	t.Helper()
	s := openSafe(t, tc.with)
	for _, more := range []gate.Tool{
		&bearer{gatetest.Fake{Name: "bearer", Ledger: s.ledger}},
		&borrower{gatetest.Fake{Name: "borrower", Ledger: s.ledger}},
	} {
		if err := s.Gate.Add(more); err != nil {
			t.Fatal(err)
		}
	}
	c := tc.call(s)
	f := s.fly(c)
	select {
	case <-f.parked:
		open, err := s.Pending(c.RunID)
		if err != nil || len(open) != 1 {
			t.Fatalf("%d questions, %v", len(open), err)
		}
		s.decide(gatetest.Answer(open[0], wire.AllowOnce))
	case <-f.done:
	}
	out := f.end(t)
	s.wantState(out, tc.state)
	if strings.Contains(out.Text, "did k") {
		t.Errorf("what came is shown without its block: %q", out.Text)
	}
	types, err := s.Types(c.RunID)
	if err != nil || len(types) == 0 || types[len(types)-1] != tc.last {
		t.Fatalf("receipts %v, %v", types, err)
	}
	if tc.stage != "" && s.body(c.RunID, tc.last)["stage"] != tc.stage {
		t.Errorf("%v", s.body(c.RunID, tc.last))
	}
	if again := s.do(c); again.State != tc.state {
		t.Errorf("made again, the call ends as %s", again.State)
	}
	if now, err := s.Types(c.RunID); err != nil || !slices.Equal(now, types) {
		t.Errorf("made again, it left %v", now)
	}
}

// TestFault_answered: the fault is met after a person has answered.
func TestFault_answered(t *testing.T) {
	t.Parallel()
	scan := &scanOnce{}
	s := openSafe(t, func(d *gate.Deps) { d.Outgoing = scan })
	f, a := s.ask(s.reach("", reach{Tier: "red", To: "a@b.example"}))
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDenied)
	if now := s.approval(a.ID); now.State != wire.ApprovalAllowed || now.Execution != wire.ExecFailed {
		t.Errorf("the approval is %s, %s", now.State, now.Execution)
	}
}

// scanOnce looks once, and has a fault from then on.
type scanOnce struct {
	faults
	looked bool
}

func (s *scanOnce) Look(l gate.Leaving) (policy.Opinion, []string) {
	if s.looked {
		return s.faults.Look(l)
	}
	s.looked = true
	return policy.Harmless, nil
}
