package envupdate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// diff is the change for people: secret values are not in it, those before as little as those after.
func diff(f *envfile.File, rel string, updates map[string]string) (text string, added, removed int) {
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", rel, rel)
	for _, k := range keys(updates) {
		was, ok := f.Get(k)
		if ok {
			fmt.Fprintf(&b, "-%s=%s\n", k, shown(k, was))
			removed++
		}
		fmt.Fprintf(&b, "+%s=%s\n", k, shown(k, updates[k]))
		added++
	}
	return b.String(), added, removed
}

func shown(key, value string) string {
	if strings.HasPrefix(value, "SECRET_REF(") || !envfile.Secret(key, value) {
		return value
	}
	return envfile.Hidden(value)
}

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

// replace writes the new content next to the file, with its mode, and puts it in its place.
func (t *Tool) replace(callID, rel, text string) error {
	folder, err := t.root.Folder(path.Dir(rel))
	if err != nil {
		return err
	}
	defer folder.Close()
	temp := ".gatehouse-" + callID
	done, err := t.note(callID, folder.Path(temp))
	if err != nil {
		return err
	}
	if err := folder.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dataroot.Explain(rel, err)
	}
	if err := folder.Replace(path.Base(rel), temp, []byte(text)); err != nil {
		return dataroot.Explain(rel, err)
	}
	return done()
}

// note keeps the name of a file that a crash could leave, until it is gone.
func (t *Tool) note(callID, temp string) (done func() error, err error) {
	if callID == "" || strings.ContainsAny(callID, "/\\.") {
		return nil, fmt.Errorf("env_update: call id %q is no name", callID)
	}
	if err := os.MkdirAll(t.journal, 0o700); err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	name := filepath.Join(t.journal, callID)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	_, err = f.WriteString(temp)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	return func() error { return os.Remove(name) }, nil
}

// recover removes what a crash has left: it may hold secrets.
func (t *Tool) recover() error {
	left, err := os.ReadDir(t.journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range left {
		name := filepath.Join(t.journal, e.Name())
		temp, rerr := os.ReadFile(name)
		if rerr == nil {
			rerr = t.clear(string(temp))
		}
		if rerr == nil {
			rerr = os.Remove(name)
		}
		err = errors.Join(err, rerr)
	}
	return err
}

func (t *Tool) clear(temp string) error {
	folder, err := t.root.Folder(path.Dir(temp))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	if !strings.HasPrefix(path.Base(temp), ".gatehouse-") {
		return nil
	}
	if err := folder.Remove(path.Base(temp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func result(rel string, n int) tool.Result {
	what := tool.Count(int64(n), "setting", "settings")
	return tool.Result{
		Text: fmt.Sprintf("Changed %s in %s.", what, rel), Summary: fmt.Sprintf("Changed %s in %s", what, rel),
		Effects: []tool.Effect{{Kind: "written", Target: rel, Count: 1}},
	}
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
