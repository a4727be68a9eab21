package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

func gateDecision() Figure {
	return Figure{
		Name: "gate_decision_p99_ms", Unit: "ms", Goal: 1, Fsync: true, Take: takeGate, Control: bareGateControl(),
		How: "one file_read to agentd's gate until its tool may run: arguments, class, limits, rules, and the receipts of all that on the disk; one call at a time, in this process",
	}
}

// takeGate sends calls through a whole gate on a store of its own, one after the other.
func takeGate(ctx context.Context, s *Stage) (run Run, err error) {
	dir, err := os.MkdirTemp(s.dir, "gate-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	begun := make(chan time.Time, 1)
	w, err := gatetest.Open(dir, time.Now, stopwatch{begun})
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	calls := s.gateCalls()
	took := make([]time.Duration, 0, calls)
	for n := range calls {
		c, err := readCall(n)
		if err != nil {
			return Run{}, err
		}
		at := time.Now()
		out, err := w.Gate.Do(ctx, c, nil)
		if err != nil || out.State != wire.ToolDone {
			return Run{}, fmt.Errorf("call ended as %q: %s: %w", out.State, out.Text, err)
		}
		took = append(took, (<-begun).Sub(at))
	}
	return Run{Value: percentile(took, 99), N: len(took), Note: fmt.Sprintf("half of them within %.2f ms", percentile(took, 50))}, nil
}

// gateCalls is how many calls one run takes.
func (s *Stage) gateCalls() int { return s.count(3000, 50) }

// readCall is a call as a run makes it: twenty of them to a run.
func readCall(n int) (gate.Call, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return gate.Call{}, err
	}
	args, err := json.Marshal(policy.FileReadArgs{Path: filepath.Join("notes", fmt.Sprint(n), "minutes.md")})
	run := fmt.Sprintf("01900000-0000-7000-8000-%012d", n/20)
	return gate.Call{
		ID: id.String(), RunID: run, RootRunID: run, SessionID: run, Agent: "secretary", Tool: "file_read", Args: args, Reason: "to read the minutes",
		Level: 2, Origin: wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal"},
	}, err
}

// stopwatch is file_read, but for reading: it notes when it may begin.
type stopwatch struct{ begun chan time.Time }

func (stopwatch) Definition() tool.Definition {
	return tool.Definition{Name: "file_read", Args: tool.SchemaOf[policy.FileReadArgs](), Idempotent: true}
}

func (stopwatch) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_read", args, policy.Env{Root: "/data"})
}

func (s stopwatch) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	at := time.Now()
	err := p.Redeem(args)
	s.begun <- at
	return tool.Result{Text: "nothing", Summary: "Read nothing"}, err
}
