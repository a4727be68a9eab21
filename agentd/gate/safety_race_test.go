package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// counter is a tool whose effects are counted in memory: ten thousand lines on the disk would be what is measured.
type counter struct {
	mu   sync.Mutex
	runs map[string]int
}

func (c *counter) Definition() tool.Definition {
	return tool.Definition{Name: "count", Args: json.RawMessage(`{"type":"object","additionalProperties":false}`)}
}

func (c *counter) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Red, Action: "fake.thing.count", Says: "Count"}
}

func (c *counter) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[p.CallID()]++
	return tool.Result{Text: "counted"}, nil
}

// TestDo_policyRace changes configuration and rules while a thousand calls are on their way, ten thousand in a long run
// (GATEHOUSE_SOAK). Odd versions of the configuration let them run, and so do even versions of the rules. Whatever ran was
// allowed by the versions in force when its intent was written, and ran once, under a permit that a decision stands for.
func TestDo_policyRace(t *testing.T) {
	t.Parallel()
	const versions, agents, atOnce = 40, 100, 16
	batch := 25
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		batch = 250
	}
	s := openSafe(t, nil)
	n := &counter{runs: map[string]int{}}
	if err := s.Gate.Add(n); err != nil {
		t.Fatal(err)
	}
	s.configure(wire.Config{Version: 1, DefaultLevel: 3})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce) // fewer than a batch, so that some have run before each change
	for v := int64(1); v <= versions; v++ {
		if v > 1 {
			s.configure(wire.Config{Version: v, DefaultLevel: 1 + 2*int(v%2)})
		}
		if v%5 == 0 {
			s.setRules([]string{"version: 1\n", "version: 1\nrules:\n  - {id: no, tool: count, effect: deny}\n"}[v/5%2])
		}
		for i := range batch {
			c := s.reach("", reach{})
			c.Tool, c.Args, c.Agent = "count", json.RawMessage(`{}`), fmt.Sprint("agent-", i%agents)
			free <- struct{}{}
			all.Go(func() {
				done := sync.OnceFunc(func() { <-free })
				defer done()
				if _, err := s.Gate.Do(ctx, c, func(bool) { done() }); err != nil {
					t.Errorf("call %s: %v", c.ID, err)
				}
			})
		}
	}
	stop()
	all.Wait()
	started := s.legalStarts()
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, times := range n.runs {
		if times != 1 || !started[id] {
			t.Errorf("call %s ran %d times; its start on record and legal: %v", id, times, started[id])
		}
	}
	t.Logf("%d of %d ran", len(n.runs), versions*batch)
	if len(n.runs) < batch-atOnce {
		t.Error("too few ran: nothing was raced")
	}
}

// legalStarts reads the log in its order and keeps which versions are in force. It fails for each start that names
// others, or that they do not allow.
func (s *safe) legalStarts() map[string]bool {
	s.t.Helper()
	rows, err := s.DB.Read().QueryContext(s.t.Context(),
		"SELECT type, call_id, body FROM receipts WHERE type IN ('config.applied', 'permissions.applied', 'call.started') ORDER BY seq")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	legal, cfg, rules := map[string]bool{}, int64(0), int64(0)
	for rows.Next() {
		var kind, call, body string
		var in struct {
			Version int64 `json:"version"`
			Policy  int64 `json:"policy_version"`
			Rules   int64 `json:"rules_version"`
		}
		if err := rows.Scan(&kind, &call, &body); err != nil {
			s.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			s.t.Fatal(err)
		}
		switch kind {
		case "config.applied":
			cfg = in.Version
		case "permissions.applied":
			rules = in.Version
		default:
			ok := in.Policy == cfg && in.Rules == rules && (cfg == 0 || cfg%2 == 1) && rules%2 == 0
			if !ok {
				s.t.Errorf("call %s started under %d and %d while %d and %d were in force", call, in.Policy, in.Rules, cfg, rules)
			}
			legal[call] = ok
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return legal
}
