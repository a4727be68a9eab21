package envread

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/envfile"
)

// Vault knows which secret has a value.
type Vault interface {
	// Holding gives the name of the secret whose current value this is.
	Holding(ctx context.Context, value string) (name string, ok bool, err error)
}

// Tool reads settings.
type Tool struct {
	root  *dataroot.Root
	vault Vault
}

// New makes the tool.
func New(root *dataroot.Root, v Vault) *Tool { return &Tool{root, v} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "env_read", Doc: "Read settings from a file such as .env. Secret values come as references or hidden.",
		Args: tool.SchemaOf[policy.EnvReadArgs](), Idempotent: true, Timeout: 10 * time.Second,
	}
}

// Classify judges the path and the keys.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("env_read", args, t.root.Env())
}

// Run reads them.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.EnvReadArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("env_read: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("env_read: %w", err)
	}
	raw, err := t.root.ReadSettings(rel, envfile.MaxSize)
	if err != nil {
		return tool.Result{}, err
	}
	f := envfile.Parse(string(raw))
	if len(in.Keys) == 0 {
		n := int64(len(f.Keys()))
		return tool.Result{Text: strings.Join(f.Keys(), "\n"), Summary: fmt.Sprintf("Read the names of %s in %s", tool.Count(n, "setting", "settings"), rel)}, nil
	}
	return t.show(ctx, f, rel, in.Keys)
}

// show gives the values that were asked for.
func (t *Tool) show(ctx context.Context, f *envfile.File, rel string, keys []string) (tool.Result, error) {
	var b strings.Builder
	for _, k := range keys {
		v, ok := f.Get(k)
		if !ok {
			fmt.Fprintf(&b, "%s is not set\n", k)
			continue
		}
		text, err := t.value(ctx, k, v)
		if err != nil {
			return tool.Result{}, fmt.Errorf("env_read: %w", err)
		}
		fmt.Fprintf(&b, "%s=%s\n", k, text)
	}
	return tool.Result{Text: b.String(), Summary: fmt.Sprintf("Read %s in %s", tool.Count(int64(len(keys)), "setting", "settings"), rel)}, nil
}

// value is a value as an agent may see it.
func (t *Tool) value(ctx context.Context, key, value string) (string, error) {
	if value == "" {
		return "", nil
	}
	name, ok, err := t.vault.Holding(ctx, value)
	switch {
	case err != nil:
		return "", err
	case ok:
		return gate.Ref(name), nil
	case envfile.Secret(key, value):
		return envfile.Hidden(value), nil
	}
	return value, nil
}
