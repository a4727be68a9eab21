package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
)

// orderOf reads a message that orders a write to be taken back. It is a run like any other, save that no model has a say
// in it: the call is made of the message, and the answer of its result.
func orderOf(text string) (in policy.FileRestoreArgs, ok bool) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 3 || strings.ToLower(words[0]) != "/restore" {
		return in, false
	}
	in.Call, in.Anyway = words[1], len(words) == 3
	return in, len(words) == 2 || strings.ToLower(words[2]) == "anyway"
}

// step is what comes next: what the message itself orders, or what the model wants.
func (r *run) step() (llm.Reply, error) {
	if in, ok := orderOf(r.text); ok && r.parent == nil {
		return r.order(in)
	}
	return r.ask()
}

// order makes the one call of an order, in the name of the agent whose write it was, and then its answer.
func (r *run) order(in policy.FileRestoreArgs) (llm.Reply, error) {
	for _, m := range slices.Backward(r.messages) {
		if m.Role == llm.ToolReply {
			return llm.Reply{Text: strings.Replace(m.Text, "[denied] ", "Nothing was put back. ", 1)}, nil
		}
	}
	actor, path, err := r.written(in.Call)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("find write: %w", err)
	}
	if path == "" {
		return llm.Reply{Text: "There is no write " + cut(in.Call, 64) + " on this server, so nothing was put back."}, nil
	}
	r.actor, in.Path = actor, path
	args, err := json.Marshal(in)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("order: %w", err)
	}
	restore := llm.Call{ID: taint.RestoreTool, Name: taint.RestoreTool, Args: string(args)}
	return llm.Reply{Text: "Putting the earlier version of " + in.Path + " back, as ordered.", Calls: []llm.Call{restore}}, nil
}

// written is the file that a write was of, as it was made, and the agent whose write it was; no path when there is none. What
// was put back at the command line is the agent's whose write was taken back there.
func (r *run) written(callID string) (agent, path string, err error) {
	for seen := map[string]bool{}; !seen[callID]; {
		seen[callID] = true
		c, err := r.t.rt.d.Approvals.Made(r.ctx, callID)
		if err != nil || c == nil || c.Tool != "file_write" && c.Tool != taint.RestoreTool {
			return "", path, err
		}
		var in policy.FileRestoreArgs // those of file_write name the path alike
		if json.Unmarshal(c.Args, &in) != nil {
			return "", path, nil
		}
		path, callID = cmp.Or(path, in.Path), in.Call
		if _, err := r.t.rt.d.Team.Agent(c.Agent); err == nil {
			return c.Agent, path, nil
		}
	}
	return "", path, nil
}
