package envupdate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/envfile"
)

// Run puts the values in place and replaces the file in one step.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return tool.Result{}, err
	}
	var was frozen
	if err := json.Unmarshal(p.Frozen(), &was); err != nil {
		return tool.Result{}, fmt.Errorf("env_update: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("env_update: %w", err)
	}
	raw, err := t.root.ReadSettings(rel, envfile.MaxSize)
	if err != nil {
		return tool.Result{}, err
	}
	f := envfile.Parse(string(raw))
	changed, err := fill(ctx, f, p.Secrets(), rel, in.Updates)
	if err != nil {
		return tool.Result{}, fmt.Errorf("env_update: %w", err)
	}
	if changed > 0 { // else it is as it shall be: a former life of the call may have done it
		if was.Path != rel || was.Before != hash(raw) {
			return tool.Result{}, tool.Refuse("%s changed since this was proposed. Nothing was changed; propose it again.", rel)
		}
		if err := t.replace(p.CallID(), rel, f.Text()); err != nil {
			return tool.Result{}, err
		}
	}
	return result(rel, len(in.Updates)), nil
}

// fill sets every setting, references as the values they stand for.
func fill(ctx context.Context, f *envfile.File, s gate.Secrets, rel string, updates map[string]string) (changed int, err error) {
	for _, k := range keys(updates) {
		v, err := s.Expand(ctx, updates[k], use("", rel, k))
		if err != nil {
			return 0, err
		}
		if strings.ContainsAny(v.Reveal(), "\r\n") {
			return 0, tool.Refuse("The value for %s has more than one line and does not fit into a file of settings.", k)
		}
		if f.Set(k, v.Reveal()) {
			changed++
		}
	}
	return changed, nil
}

func result(rel string, n int) tool.Result {
	what := tool.Count(int64(n), "setting", "settings")
	return tool.Result{
		Text: fmt.Sprintf("Changed %s in %s.", what, rel), Summary: fmt.Sprintf("Changed %s in %s", what, rel),
		Effects: []tool.Effect{{Kind: "written", Target: rel, Count: 1}},
	}
}
