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

// parseRestore reads a message that asks to take a write back. It makes a run like any other, except that no model takes part:
// the call comes from the message, and the answer from its result.
func parseRestore(text string) (in policy.FileRestoreArgs, ok bool) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 3 || strings.ToLower(words[0]) != "/restore" {
		return in, false
	}
	in.Call, in.Anyway = words[1], len(words) == 3
	return in, len(words) == 2 || strings.ToLower(words[2]) == "anyway"
}

// modelReply is the next reply: what a /restore message asks for, or what the model says.
func (r *run) modelReply() (llm.Reply, error) {
	if in, ok := parseRestore(r.text); ok && r.parent == nil && r.t.byPerson() {
		return r.restoreReply(in)
	}
	return r.askModel()
}

// restoreReply makes the one call of a /restore message, in the name of the agent whose write it was, and then its answer.
func (r *run) restoreReply(in policy.FileRestoreArgs) (llm.Reply, error) {
	for _, m := range slices.Backward(r.messages) {
		if m.Role == llm.ToolReply {
			return llm.Reply{Text: strings.Replace(m.Text, "[denied] ", "Nothing was put back. ", 1)}, nil
		}
	}
	actor, path, err := r.findWrite(in.Call)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("find write: %w", err)
	}
	if path == "" {
		return llm.Reply{Text: "There is no write " + truncate(in.Call, 64) + " on this server, so nothing was put back."}, nil
	}
	r.actor, in.Path = actor, path
	args, err := json.Marshal(in)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("order: %w", err)
	}
	restore := llm.Call{ID: taint.RestoreTool, Name: taint.RestoreTool, Args: string(args)}
	return llm.Reply{Text: "Putting the earlier version of " + in.Path + " back, as ordered.", Calls: []llm.Call{restore}}, nil
}

// findWrite finds the file that a write has replaced, and the agent whose write it was; no path when there is no such write. A
// write at the command line belongs to the agent whose write it took back.
func (r *run) findWrite(callID string) (agent, path string, err error) {
	for seen := map[string]bool{}; !seen[callID]; {
		seen[callID] = true
		c, err := r.rt.approvals.Made(r.ctx, callID)
		if err != nil || c == nil || c.Tool != "file_write" && c.Tool != taint.RestoreTool {
			return "", path, err
		}
		var in policy.FileRestoreArgs // those of file_write name the path alike
		if json.Unmarshal(c.Args, &in) != nil {
			return "", path, nil
		}
		path, callID = cmp.Or(path, in.Path), in.Call
		if _, err := r.rt.team.Agent(c.Agent); err == nil {
			return c.Agent, path, nil
		}
	}
	return "", path, nil
}
