package gate_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// denyAct is a configuration under which no agent has the tool act.
func denyAct(version int64) wire.Config {
	return wire.Config{Version: version, DefaultLevel: 3, Tools: wire.ToolLimits{Denied: []string{"act"}}}
}

// TestDenied_between: the owner denies a tool while a call of it is on its way, at any moment before it starts. The call does not
// run, and the agent reads why.
func TestDenied_between(t *testing.T) {
	t.Parallel()
	for looks := 1; looks <= 2; looks++ { // after the first stage, and after the decision has looked
		b := open(t)
		b.configure(wire.Config{Version: 1, DefaultLevel: 3})
		n := 0
		b.Looked = func() {
			if n++; n == looks {
				b.configure(denyAct(2))
			}
		}
		c := b.call("act", "yellow", "")
		out, err := b.Gate.Do(t.Context(), c, func(bool) {})
		if err != nil || out.State != wire.ToolDenied || !strings.Contains(out.Text, "the owner has denied it for all agents") {
			t.Errorf("denied after look %d: %+v, %v", looks, out, err)
		}
		if n < looks {
			t.Errorf("the gate looked %d times", n)
		}
		b.wantRan(c.ID, 0)
	}
}

// TestDenied_allowed: a person allows a call, and then denies the tool for all agents. What was allowed does not run.
func TestDenied_allowed(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.configure(wire.Config{Version: 1, DefaultLevel: 2})
	c := b.call("act", "red", "")
	f, a := b.ask(c)
	b.configure(denyAct(2))
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDenied)
	b.wantRan(c.ID, 0)
}
