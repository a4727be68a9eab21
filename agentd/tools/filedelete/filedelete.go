package filedelete

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/version"
)

// Tool deletes files and folders.
type Tool struct {
	root *dataroot.Root
	kept *version.Store
}

// New makes the tool for one data folder. What is deleted is kept for a while in kept; nil keeps nothing.
func New(root *dataroot.Root, kept *version.Store) *Tool { return &Tool{root: root, kept: kept} }

// Definition says what the model sees. It is idempotent: what the list names is gone after the first run, and what
// took its name meanwhile is another file.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "file_delete", Doc: "Delete files of the business: one file, one folder with all in it, or what a glob such as tmp/*.tmp or tmp/**/*.tmp matches.",
		Args: tool.SchemaOf[policy.FileDeleteArgs](), Idempotent: true, Timeout: 5 * time.Minute,
	}
}

// Classify judges the path by its text.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_delete", args, t.root.Env())
}

// Measure resolves the path to the list of entries that would be deleted, with sizes, and freezes it.
func (t *Tool) Measure(ctx context.Context, args json.RawMessage) (gate.Measured, error) {
	in, err := tool.Parse[policy.FileDeleteArgs](args)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("file_delete: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	if err != nil {
		return gate.Measured{}, err
	}
	l, err := t.measure(ctx, rel)
	if err != nil {
		return gate.Measured{}, err
	}
	frozen, err := json.Marshal(l)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("file_delete: %w", err)
	}
	m := gate.Measured{Facts: l.facts(), Frozen: frozen}
	if why := l.protected(t.root.Env()); why != "" {
		m.Raise = policy.Refuse("files.file.delete", why)
	}
	return m, nil
}

// Holds says whether what was measured is still as it was. What is gone already, or came anew, does not matter: only
// what was measured is deleted.
func (t *Tool) Holds(_ context.Context, _, frozen json.RawMessage) error {
	var l list
	if err := json.Unmarshal(frozen, &l); err != nil {
		return fmt.Errorf("file_delete: frozen list: %w", err)
	}
	return t.unchanged(l)
}

// Run deletes what the permit froze, if all of it is still what was measured; else it deletes nothing.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if _, err := tool.Parse[policy.FileDeleteArgs](args); err != nil {
		return tool.Result{}, fmt.Errorf("file_delete: %w", err)
	}
	var l list
	if err := json.Unmarshal(p.Frozen(), &l); err != nil {
		return tool.Result{}, fmt.Errorf("file_delete: frozen list: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("file_delete: %w", err)
	}
	if p.Resumed() {
		return t.goOn(ctx, l)
	}
	if err := t.unchanged(l); err != nil {
		return tool.Result{}, err
	}
	unkept := t.keep(ctx, p.CallID(), l)
	done, _, kept := t.deleteAll(ctx, l)
	if len(done) == 0 && len(kept) > 0 {
		t.forget(ctx, p.CallID())
		return tool.Result{}, dataroot.Explain(l[0].Rel, kept[0])
	}
	r := result(done, kept)
	r.Text += unkept
	return r, nil
}
