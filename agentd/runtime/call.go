package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
)

// call is one use of a tool, from the model's words to the result.
type call struct {
	transcript.Call
	run     *run
	ref     string
	reason  string
	target  string // agent_dispatch only
	cancel  context.CancelCauseFunc
	resumed bool            // a former process made the call: the gate may have settled it before anyone listened
	files   *taint.Tracker  // from the moment the gate may see it
	read    []policy.Source // sources of the marked files it has read
}

const (
	maxReason = 500  // characters of what the agent said before, for the approval card
	maxResult = 2000 // characters of a result that pages show
	// maxToolName is how many bytes of a name are kept that no tool has.
	maxToolName = 64
	// stopPatience is how long a stopped run waits for a tool to notice.
	stopPatience = 60 * time.Millisecond
	// dispatchTool is the tool whose calls become runs of other agents.
	dispatchTool = "agent_dispatch"
)

// newCalls gives every call of a reply an id of ours. A reply that names one call twice makes it once.
func (r *run) newCalls(reply llm.Reply) ([]*call, error) {
	var all []*call
	byRef := map[string]llm.Call{}
	for _, c := range reply.Calls {
		if same, ok := byRef[c.ID]; ok && same == c {
			continue
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("call id: %w", err)
		}
		ref := c.ID
		if _, taken := byRef[ref]; taken || ref == "" || r.refTaken(ref) {
			ref = id.String()
		}
		byRef[c.ID] = c
		n := transcript.Call{ID: id.String(), Ref: ref, Tool: r.toolName(c.Name), Args: c.Args, Agent: r.actor}
		all = append(all, r.newCall(n, reply.Text))
	}
	return all, nil
}

// toolName is the name that a model gave for a tool, as it goes on record, to people and back to the model. The name of a
// tool that the agent does not have may be anything, even a secret.
func (r *run) toolName(name string) string {
	if slices.ContainsFunc(r.tools(), func(d tool.Definition) bool { return d.Name == name }) {
		return name
	}
	return redact.Clip(name, maxToolName)
}

func (r *run) newCall(n transcript.Call, said string) *call {
	c := &call{Call: n, run: r, ref: n.Ref, reason: truncate(said, maxReason)}
	if n.Tool == dispatchTool {
		var in policy.DispatchArgs
		if json.Unmarshal([]byte(n.Args), &in) == nil {
			c.target = in.Target
		}
	}
	return c
}

// actor is the agent in whose name the call is made.
func (c *call) actor() string { return cmp.Or(c.Agent, c.run.agent) }

// childRun is the run that the call delegated to, in this process or a former one; nil when there is none.
func (c *call) childRun() *run {
	t := c.run.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.parentCall == c.ID {
			return r
		}
	}
	return nil
}

func (c *call) childID() string {
	if child := c.childRun(); child != nil {
		return child.id
	}
	return ""
}

// refTaken reports whether an earlier step of this run used a provider's id: some providers start again with each answer.
func (r *run) refTaken(ref string) bool {
	for _, m := range r.messages {
		for _, c := range m.Calls {
			if c.ID == ref {
				return true
			}
		}
	}
	return false
}

// truncate shortens s to n characters.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
