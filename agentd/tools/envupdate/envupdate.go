package envupdate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/envfile"
)

// Tool changes settings.
type Tool struct {
	root    *dataroot.Root
	journal string // folder in the state directory: where a new content lies next to its target
}

// New makes the tool, and clears what a crash has left next to a file.
func New(root *dataroot.Root) (*Tool, error) {
	t := &Tool{root: root, journal: filepath.Join(root.Env().State, "env-updates")}
	if err := t.recover(); err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	return t, nil
}

// Definition says what the model sees. It is idempotent: setting what is set changes nothing.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "env_update", Doc: "Change settings in a file such as .env. A secret is given as SECRET_REF(name), if it is bound to that file and setting.",
		Args: tool.SchemaOf[policy.EnvUpdateArgs](), Idempotent: true, Timeout: time.Minute,
	}
}

// Classify judges path and names.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("env_update", args, t.root.Env())
}

// Uses implements gate.Bearer: each reference is bound to the file and the setting.
func (t *Tool) Uses(args []byte) ([]gate.Use, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return nil, err
	}
	var all []gate.Use
	for _, k := range keys(in.Updates) {
		names, err := gate.Refs(in.Updates[k])
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			all = append(all, use(n, rel, k))
		}
	}
	return all, nil
}

func use(name, rel, key string) gate.Use { return gate.Use{Name: name, Field: rel + "#" + key} }

func keys(m map[string]string) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func (t *Tool) parse(args json.RawMessage) (policy.EnvUpdateArgs, string, error) {
	in, err := tool.Parse[policy.EnvUpdateArgs](args)
	if err != nil {
		return in, "", fmt.Errorf("env_update: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	return in, rel, err
}

// frozen is the file that a person decided about.
type frozen struct {
	Path   string `json:"path"`
	Before string `json:"before"` // hex SHA-256
}

// Measure freezes the file as it is.
func (t *Tool) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return gate.Measured{}, err
	}
	folder, err := t.open(rel, in.Updates)
	if err != nil {
		return gate.Measured{}, err
	}
	if err := folder.Close(); err != nil {
		return gate.Measured{}, fmt.Errorf("env_update: %w", err)
	}
	raw, err := t.root.ReadSettings(rel, envfile.MaxSize)
	if err != nil {
		return gate.Measured{}, err
	}
	b, err := json.Marshal(frozen{rel, hash(raw)})
	n := int64(len(in.Updates))
	return gate.Measured{Frozen: b, Facts: []tool.Fact{{Name: "settings", Value: n, Text: tool.Count(n, "setting", "settings")}}}, err
}

// Stage shows the change. Nothing is put aside: values come at the last moment.
func (t *Tool) Stage(_ context.Context, _ string, args json.RawMessage) (gate.Staged, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return gate.Staged{}, err
	}
	raw, err := t.root.ReadSettings(rel, envfile.MaxSize)
	if err != nil {
		return gate.Staged{}, err
	}
	f := envfile.Parse(string(raw))
	if err := noMarks(f, rel, in.Updates); err != nil {
		return gate.Staged{}, err
	}
	text, added, removed := diff(f, rel, in.Updates)
	return gate.Staged{Hash: hash([]byte(hash(raw) + string(args))), Before: hash(raw), Path: rel, Unified: text, Added: added, Removed: removed}, nil
}

// Discard has nothing to drop.
func (t *Tool) Discard(context.Context, string) error { return nil }

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
