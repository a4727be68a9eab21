package subagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/subagent"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// keeper stands for the runtime, and remembers what it was asked.
type keeper struct {
	asked []string
	err   error
}

func (k *keeper) Spawn(_ context.Context, callID, runID, agent, task string) (string, error) {
	k.asked = append(k.asked, strings.Join([]string{callID, runID, agent, task}, "|"))
	return "sub-1", k.err
}

func (k *keeper) CheckSubs(_ context.Context, callID, runID string, ids []string, wait bool) (string, int, error) {
	k.asked = append(k.asked, strings.Join(append([]string{callID, runID}, ids...), "|"))
	if wait {
		return "- sub-1 completed", 1, k.err
	}
	return "- sub-1 running", 1, k.err
}

func (k *keeper) StopSub(_ context.Context, _, _, id string) (string, error) {
	k.asked = append(k.asked, id)
	return "count the invoices", k.err
}

func tools(k *keeper) []gate.Tool {
	return []gate.Tool{subagent.NewSpawn(k), subagent.NewCheck(k), subagent.NewStop(k)}
}

func TestRun(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	g := tooltest.NewGate(t, tooltest.NewDir(t), tools(k)...)
	c := g.Call(t, "subagent_spawn", policy.SubagentSpawnArgs{Task: "count", Agent: "secretary"})
	o, err := g.Gate.Do(t.Context(), c, func(bool) {})
	if err != nil || o.State != wire.ToolDone || o.Result.Child != "sub-1" || o.Tier != "green" || !strings.Contains(o.Text, "sub-1") {
		t.Fatalf("%+v, %v", o, err)
	}
	if want := c.ID + "|" + c.RunID + "|secretary|count"; len(k.asked) != 1 || k.asked[0] != want {
		t.Errorf("asked %q, want %q", k.asked, want)
	}
	o = g.Do(t, "subagent_check", policy.SubagentCheckArgs{IDs: []string{"sub-1"}, Wait: true})
	if o.State != wire.ToolDone || o.Text != "- sub-1 completed" || o.Tier != "green" {
		t.Errorf("%+v", o)
	}
	o = g.Do(t, "subagent_stop", policy.SubagentStopArgs{ID: "sub-1"})
	if o.State != wire.ToolDone || !strings.Contains(o.Text, "count the invoices") || o.Tier != "green" {
		t.Errorf("%+v", o)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	k := &keeper{err: tool.Refuse("there are too many")}
	g := tooltest.NewGate(t, tooltest.NewDir(t), tools(k)...)
	o := g.Do(t, "subagent_spawn", policy.SubagentSpawnArgs{Task: "x"})
	if o.State != wire.ToolFailed || !strings.Contains(o.Text, "too many") {
		t.Errorf("%+v", o)
	}
	k.err = errors.New("inner workings")
	o = g.Do(t, "subagent_check", policy.SubagentCheckArgs{})
	if o.State != wire.ToolFailed || strings.Contains(o.Text, "inner workings") {
		t.Errorf("%+v", o)
	}
	before := len(k.asked)
	o = g.Do(t, "subagent_spawn", policy.SubagentSpawnArgs{Task: "x", Agent: "../etc"})
	if o.State != wire.ToolDenied || len(k.asked) != before {
		t.Errorf("%+v", o)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	for _, one := range tools(k) {
		for _, args := range []string{`{"task":"x"}`, `{}`, `{"id":"x"}`} {
			if _, err := one.Run(t.Context(), gate.Permit{}, []byte(args)); err == nil {
				t.Errorf("%s ran without a permit", one.Definition().Name)
			}
		}
	}
	if len(k.asked) != 0 {
		t.Errorf("asked %q", k.asked)
	}
}
