package gate

import (
	"cmp"
	"context"
	"encoding/json"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Call is one use of a tool that an agent wants to make.
type Call struct {
	ID        string // UUIDv7, minted by the runtime and durable before the gate sees it
	RunID     string
	RootRunID string
	SessionID string
	Agent     string
	Tool      string
	Args      json.RawMessage // as the model wrote them; may be malformed
	Reason    string          // what the agent said just before, for the approval card
	Level     int             // lowest effective autonomy level of the chain of delegation
	Origin    wire.Origin     // who the root run answers
	Depth     int             // how often its task was handed on; 0 for a root run
	Taint     []policy.Source // where the content from outside came from that the run has read
	// BudgetRoot is the root run whose budgets the call draws from, where that is another one: a sub-agent gets none of its own.
	BudgetRoot string `json:",omitempty"`
	// NeverAsk refuses the call where the rules would ask a person: nobody waits for it.
	NeverAsk bool   `json:",omitempty"`
	Request  string `json:"-"` // what the owner wrote to the root run; empty when a machine did
}

// rootRun is the run at the top of the tree that the call belongs to.
func (c Call) rootRun() string {
	if c.RootRunID != "" {
		return c.RootRunID
	}
	return c.RunID
}

// budgetRoot is the run at the top of all that shares one budget.
func (c Call) budgetRoot() string { return cmp.Or(c.BudgetRoot, c.rootRun()) }

// Outcome is how a call ended. Every outcome has a receipt.
type Outcome struct {
	State  wire.ToolState // done, failed, denied, unknown or stopped
	Result tool.Result    // done only
	Text   string         // what the model reads, whatever the state
	Tier   string
	Args   json.RawMessage // what ran or was to run, which a person may have edited; empty when the call never got that far
	Taint  []policy.Source // where the content from outside came from that the result holds
}

// Doer is what the runtime needs of the gate.
type Doer interface {
	// Do takes the call through the whole pipeline and returns when it has ended. It blocks while a person is asked: it calls
	// parked with true, and with false when the answer is there, so that the caller can give up its place in a lane. After a
	// restart, Do may be called again with the same call: it continues where the records say it was, and never runs a call
	// twice. When ctx ends, the call is stopped and its approval withdrawn.
	Do(ctx context.Context, c Call, parked func(bool)) (Outcome, error)
}
