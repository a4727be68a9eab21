package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// life is how long a check may wait: longer than any sub-agent is at work.
const life = 24 * time.Hour

// Runner keeps the sub-agents. Errors of type *tool.Refused are for the model.
type Runner interface {
	// Spawn begins a sub-agent and gives its id; agent empty: as the agent that calls. A repeat with the same call id begins no
	// second one.
	Spawn(ctx context.Context, callID, runID, agent, task string) (id string, err error)
	// CheckSubs says how those of the conversation stand, with the results of those that have ended. With wait it returns when
	// none of those that the message began is at work.
	CheckSubs(ctx context.Context, callID, runID string, ids []string, wait bool) (text string, n int, err error)
	// StopSub stops one, and gives its task.
	StopSub(ctx context.Context, callID, runID, id string) (task string, err error)
}

// redeem reads the arguments and uses the permit.
func redeem[T any](name string, p gate.Permit, args json.RawMessage) (T, error) {
	in, err := tool.Parse[T](args)
	if err == nil {
		err = p.Redeem(args)
	}
	if err != nil {
		return in, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// Spawn is the tool subagent_spawn.
type Spawn struct{ with Runner }

// NewSpawn makes the tool.
func NewSpawn(with Runner) *Spawn { return &Spawn{with} }

// Definition says what the model sees.
func (t *Spawn) Definition() tool.Definition {
	return tool.Definition{
		Name: "subagent_spawn", Doc: "Begin a sub-agent for long work, or several for work side by side. It sees only the task. " +
			"It answers at once with an id; the result comes by itself, or from subagent_check.",
		Args: tool.SchemaOf[policy.SubagentSpawnArgs](), Idempotent: true,
	}
}

// Classify is green: what the sub-agent then does passes the gate for itself.
func (t *Spawn) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("subagent_spawn", args, policy.Env{})
}

// Run begins the sub-agent.
func (t *Spawn) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.SubagentSpawnArgs]("subagent_spawn", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	id, err := t.with.Spawn(ctx, p.CallID(), p.RunID(), in.Agent, in.Task)
	if err != nil {
		return tool.Result{}, fmt.Errorf("subagent_spawn: %w", err)
	}
	return tool.Result{
		Text:    "Begun. Its id is " + id + ". Its result will be reported in this conversation.",
		Summary: "Began a sub-agent: " + headline(in.Task), Child: id,
		Effects: []tool.Effect{{Kind: "delegated", Target: in.Agent, Count: 1}},
	}, nil
}

// headline is the first line of a task, cut to what a chip shows.
func headline(task string) string {
	const most = 80
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// Check is the tool subagent_check.
type Check struct{ with Runner }

// NewCheck makes the tool.
func NewCheck(with Runner) *Check { return &Check{with} }

// Definition says what the model sees.
func (t *Check) Definition() tool.Definition {
	return tool.Definition{
		Name: "subagent_check", Doc: "See how your sub-agents stand, with the results of those that have ended. With wait, wait for them.",
		Args: tool.SchemaOf[policy.SubagentCheckArgs](), Idempotent: true, Timeout: life,
	}
}

// Classify says how risky it is.
func (t *Check) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("subagent_check", args, policy.Env{})
}

// Run looks, and waits if it shall.
func (t *Check) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.SubagentCheckArgs]("subagent_check", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	text, n, err := t.with.CheckSubs(ctx, p.CallID(), p.RunID(), in.IDs, in.Wait)
	if err != nil {
		return tool.Result{}, fmt.Errorf("subagent_check: %w", err)
	}
	return tool.Result{Text: text, Summary: fmt.Sprintf("Looked at %d sub-agents", n)}, nil
}

// Stop is the tool subagent_stop.
type Stop struct{ with Runner }

// NewStop makes the tool.
func NewStop(with Runner) *Stop { return &Stop{with} }

// Definition says what the model sees.
func (t *Stop) Definition() tool.Definition {
	return tool.Definition{
		Name: "subagent_stop", Doc: "Stop one of your sub-agents.", Args: tool.SchemaOf[policy.SubagentStopArgs](), Idempotent: true,
	}
}

// Classify says how risky it is.
func (t *Stop) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("subagent_stop", args, policy.Env{})
}

// Run stops it.
func (t *Stop) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := redeem[policy.SubagentStopArgs]("subagent_stop", p, args)
	if err != nil {
		return tool.Result{}, err
	}
	task, err := t.with.StopSub(ctx, p.CallID(), p.RunID(), in.ID)
	if err != nil {
		return tool.Result{}, fmt.Errorf("subagent_stop: %w", err)
	}
	return tool.Result{Text: "Stopped: " + task, Summary: "Stopped a sub-agent"}, nil
}
