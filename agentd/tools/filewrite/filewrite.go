package filewrite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// none stands for the hash of a file that is not there.
const none = "-"

// Tool writes one file.
type Tool struct {
	root *dataroot.Root
	kept store
	now  func() time.Time // nil beside another process, which tidies up

	grown  int64 // bytes since it was tidied, at tidied; both under root.Alone
	tidied time.Time
}

// New makes the tool for one data folder. What is staged lies in the state directory; what a crash left half done is
// cleared, and what is older than 30 days, or too much, is let go now and while it runs.
func New(root *dataroot.Root, now func() time.Time) (*Tool, error) {
	t := Beside(root)
	t.now, t.tidied = now, now()
	if err := errors.Join(t.recover(), t.kept.tidy(now(), mostKept)); err != nil {
		return nil, fmt.Errorf("file_write: %w", err)
	}
	return t, nil
}

// Beside makes the tool next to one of another process, whose half done writes are none of a crash.
func Beside(root *dataroot.Root) *Tool {
	return &Tool{root: root, kept: storeIn(root.Env().State)}
}

// Definition says what the model sees. It is idempotent: a call that was committed is known by its id.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "file_write", Doc: "Write one text file of the business: the whole content, replacing what is there.",
		Args: tool.SchemaOf[policy.FileWriteArgs](), Idempotent: true, Timeout: time.Minute,
	}
}

// Classify judges the path by its text.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_write", args, t.root.Env())
}

// Stage keeps the proposed content under the call id and shows what it would change. What a model was shown with a mark in
// place of a secret must not come back as the file.
func (t *Tool) Stage(_ context.Context, callID string, args json.RawMessage) (gate.Staged, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return gate.Staged{}, err
	}
	before, hash, err := t.present(rel)
	if err != nil {
		return gate.Staged{}, err
	}
	if mark := redact.Shown(string(before), in.Content); mark != "" {
		return gate.Staged{}, tool.Refuse("The content holds %s. That mark stands for a value that you were not shown, and writing it would destroy the value in %s. "+
			"Nothing was written. Change only lines that hold no mark: a setting with env_update, other lines with a command such as sed.", mark, rel)
	}
	return t.kept.stage(callID, meta{Rel: rel, Before: hash, After: hashOf([]byte(in.Content)), Mode: t.modeOf(rel)}, before, []byte(in.Content))
}

// Discard drops what was staged. What was committed stays kept.
func (t *Tool) Discard(_ context.Context, callID string) error { return t.kept.drop(callID) }

// Run commits what was staged under the permit's call id, if it is still what was shown and the file has not changed
// since.
func (t *Tool) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, rel, err := t.parse(args)
	if err != nil {
		return tool.Result{}, err
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("file_write: %w", err)
	}
	m, content, err := t.kept.get(p.CallID())
	if err != nil {
		return tool.Result{}, fmt.Errorf("file_write: %w", err)
	}
	if m.Rel != rel || hashOf(content) != m.After || hashOf([]byte(in.Content)) != m.After {
		return tool.Result{}, tool.Refuse("What was put aside for %s is no longer what was shown. Nothing was written.", rel)
	}
	if err := t.commit(p.CallID(), m, content); err != nil {
		return tool.Result{}, err
	}
	return result(wrote(m), m, int64(len(content))), nil
}

func (t *Tool) parse(args json.RawMessage) (policy.FileWriteArgs, string, error) {
	in, err := tool.Parse[policy.FileWriteArgs](args)
	if err != nil {
		return in, "", fmt.Errorf("file_write: %w", err)
	}
	rel, err := t.root.Name(in.Path)
	return in, rel, err
}

// present reads what is there now.
func (t *Tool) present(rel string) ([]byte, string, error) {
	if _, err := t.root.Lstat(rel); errors.Is(err, fs.ErrNotExist) {
		return nil, none, nil
	}
	b, err := t.root.ReadFile(rel, policy.MaxFile)
	if err != nil {
		return nil, "", err
	}
	return b, hashOf(b), nil
}

// modeOf is who may read and write what is there now; 0 when nothing is.
func (t *Tool) modeOf(rel string) fs.FileMode {
	info, err := t.root.Lstat(rel)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

// commit replaces the file, once: a call that was committed before a crash is only noted as such. Between the look at what
// is there and the change no other commit comes.
func (t *Tool) commit(callID string, m meta, content []byte) error {
	done, err := t.root.Alone()
	if err != nil {
		return err
	}
	defer done()
	return t.commitAlone(callID, m, content)
}

// commitAlone is commit for who is alone already.
func (t *Tool) commitAlone(callID string, m meta, content []byte) error {
	_, now, err := t.present(m.Rel)
	switch {
	case err != nil:
		return err
	case m.Committed, m.Temp != "" && now == m.After:
	case now != m.Before:
		return tool.Refuse("%s changed since this was proposed. Nothing was written; propose it again.", m.Rel)
	default:
		if err := t.replace(callID, m, content); err != nil {
			return err
		}
	}
	m.Committed = true
	if err := t.kept.note(callID, m); err != nil {
		return err
	}
	t.tidy(2 * int64(len(content)))
	return nil
}

func (t *Tool) replace(callID string, m meta, content []byte) error {
	folder, err := t.root.MakeFolder(path.Dir(m.Rel))
	if err != nil {
		return err
	}
	defer folder.Close()
	// The path was judged by its text; a folder in it may be a link.
	if c := policy.FileWrite(folder.Path(path.Base(m.Rel)), len(content), t.root.Env()); c.Tier == policy.Forbidden {
		return tool.Refuse("%s is %s. %s Nothing was written.", m.Rel, folder.Path(path.Base(m.Rel)), c.Why)
	}
	temp := ".gatehouse-" + callID
	m.Temp = folder.Path(temp)
	if err := t.kept.note(callID, m); err != nil { // so that a crash leaves no stray file
		return err
	}
	if err := folder.Replace(path.Base(m.Rel), temp, content, m.mode()); err != nil {
		return dataroot.Explain(m.Rel, err)
	}
	return nil
}

func wrote(m meta) string {
	if m.Before == none {
		return "Wrote"
	}
	return "Changed"
}

func result(did string, m meta, n int64) tool.Result {
	return tool.Result{
		Text:    fmt.Sprintf("%s %s (%s).", did, m.Rel, tool.Bytes(n)),
		Summary: fmt.Sprintf("%s %s, %s", did, m.Rel, tool.Bytes(n)),
		Facts:   []tool.Fact{{Name: "bytes", Value: n, Text: tool.Bytes(n)}},
		Effects: []tool.Effect{{Kind: "written", Target: m.Rel, Count: 1}},
		Meta:    map[string]any{"before": m.Before, "after": m.After},
	}
}
