package gate

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"
)

// A Permit is the gate's leave to run one call once. Only the gate makes one; a copy shares its single use, and the
// zero value permits nothing.
type Permit struct{ grant *grant }

type grant struct {
	callID, runID, agent, tool string
	args                       [sha256.Size]byte
	frozen                     json.RawMessage
	until                      time.Time
	now                        func() time.Time
	used                       atomic.Bool
	secrets                    *callSecrets // of the call
	resumed                    bool
	tainted                    bool
}

// ErrPermit says that a tool was run without leave: with no permit, a used one, one that ran out, or other arguments.
var ErrPermit = errors.New("no valid permit for this call")

// Redeem spends the permit for these exact bytes of arguments. A tool calls it before its first effect and stops on an error.
func (p Permit) Redeem(args json.RawMessage) error {
	g := p.grant
	if g == nil || sha256.Sum256(args) != g.args || g.now().After(g.until) || g.used.Swap(true) {
		return ErrPermit
	}
	return nil
}

// CallID is the id of the permitted call, the same on every retry: tools use it as their idempotency key.
func (p Permit) CallID() string {
	if p.grant == nil {
		return ""
	}
	return p.grant.callID
}

// RunID is the run that the permitted call belongs to.
func (p Permit) RunID() string {
	if p.grant == nil {
		return ""
	}
	return p.grant.runID
}

// Agent is the agent that makes the permitted call.
func (p Permit) Agent() string {
	if p.grant == nil {
		return ""
	}
	return p.grant.agent
}

// Frozen is what the tool measured before the decision and may act on; empty when it measured nothing.
func (p Permit) Frozen() json.RawMessage {
	if p.grant == nil {
		return nil
	}
	return p.grant.frozen
}

// Resumed reports whether an earlier process may have done part of the call, or all of it.
func (p Permit) Resumed() bool { return p.grant != nil && p.grant.resumed }

// Tainted reports whether content from outside may stand behind the call.
func (p Permit) Tainted() bool { return p.grant == nil || p.grant.tainted }

// mint makes a permit for one call. Only callTool calls it.
func mint(callID, runID, agent, tool string, args, frozen json.RawMessage, now func() time.Time, life time.Duration) Permit {
	return Permit{&grant{
		callID: callID, runID: runID, agent: agent, tool: tool, args: sha256.Sum256(args), frozen: frozen, until: now().Add(life), now: now,
	}}
}
