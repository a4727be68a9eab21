package dispatch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dispatch"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// team answers for another agent, and remembers what it was asked.
type team struct {
	asked []string
	err   error
}

func (d *team) Dispatch(_ context.Context, callID, runID, from, target, task, about string) (string, string, error) {
	d.asked = append(d.asked, strings.Join([]string{callID, runID, from, target, task, about}, "|"))
	return "the disk is half full", "child-1", d.err
}

func TestRun(t *testing.T) {
	t.Parallel()
	to := &team{}
	g := tooltest.NewGate(t, tooltest.NewDir(t), dispatch.New(to))
	c := g.Call(t, "agent_dispatch", policy.DispatchArgs{Target: "secretary", Task: "look", Context: "now"})
	o, err := g.Gate.Do(t.Context(), c, func(bool) {})
	if err != nil || o.State != wire.ToolDone || o.Text != "the disk is half full" || o.Result.Child != "child-1" || o.Tier != "green" {
		t.Fatalf("%+v, %v", o, err)
	}
	if want := c.ID + "|" + c.RunID + "|it-admin|secretary|look|now"; len(to.asked) != 1 || to.asked[0] != want {
		t.Errorf("asked %q, want %q", to.asked, want)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	to := &team{err: tool.Refuse("there is no such agent")}
	g := tooltest.NewGate(t, tooltest.NewDir(t), dispatch.New(to))
	if o := g.Do(t, "agent_dispatch", policy.DispatchArgs{Target: "nobody", Task: "x"}); o.State != wire.ToolFailed || !strings.Contains(o.Text, "no such agent") {
		t.Errorf("%+v", o)
	}
	to.err = errors.New("inner workings")
	if o := g.Do(t, "agent_dispatch", policy.DispatchArgs{Target: "nobody", Task: "x"}); o.State != wire.ToolFailed || strings.Contains(o.Text, "inner workings") {
		t.Errorf("%+v", o)
	}
	if o := g.Do(t, "agent_dispatch", policy.DispatchArgs{Target: "../etc", Task: "x"}); o.State != wire.ToolDenied || len(to.asked) != 2 {
		t.Errorf("%+v", o)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	to := &team{}
	if _, err := dispatch.New(to).Run(t.Context(), gate.Permit{}, []byte(`{"target":"a","task":"x"}`)); err == nil || len(to.asked) != 0 {
		t.Error("dispatched without a permit")
	}
}
