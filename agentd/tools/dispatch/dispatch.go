package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// life is how long a delegated task may take: longer than the longest wait for an approval within it.
const life = 8 * 24 * time.Hour

// Dispatcher starts the run of another agent and waits for its answer. A repeat with the same call id goes on with the
// run that the first one started. An error of type *tool.Refused is for the model.
type Dispatcher interface {
	Dispatch(ctx context.Context, callID, runID, from, target, task, context string) (text, childRunID string, err error)
}

// Tool hands tasks over.
type Tool struct{ to Dispatcher }

// New makes the tool.
func New(to Dispatcher) *Tool { return &Tool{to: to} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "agent_dispatch", Doc: "Hand a task to another agent of the team and get its answer. Give it all it needs to know: it does not see this conversation.",
		Args: tool.SchemaOf[policy.DispatchArgs](), Idempotent: true, Timeout: life,
	}
}

// Classify is green for every agent: what it then does passes the gate for itself.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("agent_dispatch", args, policy.Env{})
}

// Run hands the task over and waits.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.DispatchArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("agent_dispatch: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("agent_dispatch: %w", err)
	}
	text, child, err := t.to.Dispatch(ctx, p.CallID(), p.RunID(), p.Agent(), in.Target, in.Task, in.Context)
	if err != nil {
		return tool.Result{Child: child}, fmt.Errorf("agent_dispatch to %s: %w", in.Target, err)
	}
	return tool.Result{
		Text: text, Summary: in.Target + " answered", Child: child,
		Effects: []tool.Effect{{Kind: "delegated", Target: in.Target, Count: 1}},
	}, nil
}
