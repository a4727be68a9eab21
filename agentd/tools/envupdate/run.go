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
	if err := t.change(ctx, p, rel, was, in.Updates); err != nil {
		return tool.Result{}, err
	}
	return result(rel, len(in.Updates)), nil
}

// change looks at the file and replaces it, while nobody else does.
func (t *Tool) change(ctx context.Context, p gate.Permit, rel string, was frozen, updates map[string]string) error {
	done, err := t.root.Alone()
	if err != nil {
		return fmt.Errorf("env_update: %w", err)
	}
	defer done()
	raw, err := t.root.ReadSettings(rel, envfile.MaxSize)
	if err != nil {
		return err
	}
	f := envfile.Parse(string(raw))
	switch changed, err := fill(ctx, f, p.Secrets(), rel, updates); {
	case err != nil:
		return fmt.Errorf("env_update: %w", err)
	case changed == 0: // it is as it shall be: a former life of the call may have done it
		return nil
	case was.Path != rel || was.Before != hash(raw):
		return tool.Refuse("%s changed since this was proposed. Nothing was changed; propose it again.", rel)
	}
	return t.replace(p.CallID(), rel, f.Text(), updates)
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
