package gate_test

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// slowTool runs until it is told to stop.
type slowTool struct {
	limit time.Duration
	began chan struct{}
}

func (s *slowTool) Definition() tool.Definition {
	const schema = `{"type":"object","additionalProperties":false,"properties":{"tier":{},"key":{},"mode":{}}}`
	return tool.Definition{Name: "slow", Args: json.RawMessage(schema), Timeout: s.limit}
}

func (s *slowTool) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Green, Action: "fake.slow.run", Says: "Run for long"}
}

func (s *slowTool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	if s.began != nil {
		s.began <- struct{}{}
	}
	<-ctx.Done()
	return tool.Result{}, ctx.Err()
}
