package filewrite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Restore puts back what a write has replaced. It is a write itself: judged, staged, shown and kept like any other, so
// it can be taken back too.
type Restore struct{ files *Tool }

// NewRestore makes the tool for the writes of another.
func NewRestore(files *Tool) *Restore { return &Restore{files} }

// Definition says what the model sees. It is idempotent for the same reason as file_write.
func (r *Restore) Definition() tool.Definition {
	return tool.Definition{
		Name: "file_restore", Doc: "Put the earlier version of a file back, as it was before a file_write or file_restore of the last 30 days.",
		Args: tool.SchemaOf[policy.FileRestoreArgs](), Idempotent: true, Timeout: time.Minute,
	}
}

// Classify judges the path by its text.
func (r *Restore) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("file_restore", args, r.files.root.Env())
}

// Stage puts the earlier content aside as the proposal of this call. A file that was changed since the write is not
// taken back by accident.
func (r *Restore) Stage(_ context.Context, callID string, args json.RawMessage) (gate.Staged, error) {
	in, rel, err := r.parse(args)
	if err != nil {
		return gate.Staged{}, err
	}
	of, m, err := r.files.kept.written(in.Call, rel)
	if err != nil {
		return gate.Staged{}, err
	}
	now, hash, err := r.files.present(rel)
	if err != nil {
		return gate.Staged{}, err
	}
	switch m.stands(hash) {
	case wire.ChangeNew:
		return gate.Staged{}, tool.Refuse("There was no %s before that write, so there is nothing to put back. To be rid of the file, delete it.", rel)
	case wire.ChangeSame:
		return gate.Staged{}, tool.Refuse("%s is as it was before that write already.", rel)
	case wire.ChangeLater:
		if !in.Anyway {
			return gate.Staged{}, tool.Refuse("%s was changed since that write, and putting the earlier version back would undo that too. Nothing was written; say anyway if it is meant.", rel)
		}
	}
	earlier, err := r.files.kept.earlier(of, m)
	if err != nil {
		return gate.Staged{}, err
	}
	mode := cmp.Or(r.files.modeOf(rel), m.Mode)
	return r.files.kept.stage(callID, meta{Rel: rel, Before: hash, After: m.Before, Restores: of, Mode: mode}, now, earlier)
}

// TakeBack puts back what a write has replaced, for a person: under an id of its own, so that it can be taken back too. What
// is there now goes with it, also when it was changed since; the caller has shown that, and is alone
// (dataroot.Root.Alone). It gives the file that was written.
func (t *Tool) TakeBack(id, callID string) (rel string, err error) {
	if !callName.MatchString(callID) {
		return "", tool.Refuse("%q is no id of a write.", callID)
	}
	m, err := t.kept.meta(callID)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !m.Committed:
		return "", tool.Refuse("What was there before is not kept any more.")
	case err != nil:
		return "", err
	}
	now, hash, err := t.present(m.Rel)
	if err != nil {
		return m.Rel, err
	}
	if state := m.stands(hash); state == wire.ChangeNew || state == wire.ChangeSame {
		return m.Rel, tool.Refuse("There is nothing to take back: %s is as it was before.", path.Base(m.Rel))
	}
	earlier, err := t.kept.earlier(callID, m)
	if err != nil {
		return m.Rel, err
	}
	next := meta{Rel: m.Rel, Before: hash, After: m.Before, Restores: callID, Mode: cmp.Or(t.modeOf(m.Rel), m.Mode)}
	if err := t.kept.put(id, next, now, earlier); err != nil {
		return m.Rel, fmt.Errorf("take back: %w", err)
	}
	return m.Rel, t.commitAlone(id, next, earlier)
}

// Discard drops what was staged. What was committed stays kept.
func (r *Restore) Discard(ctx context.Context, callID string) error {
	return r.files.Discard(ctx, callID)
}

// Run commits what was staged under the permit's call id, if it still is what the write had replaced and the file has
// not changed since it was shown.
func (r *Restore) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, rel, err := r.parse(args)
	if err != nil {
		return tool.Result{}, err
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("file_restore: %w", err)
	}
	m, content, err := r.files.kept.get(p.CallID())
	if err != nil {
		return tool.Result{}, fmt.Errorf("file_restore: %w", err)
	}
	of, err := r.files.kept.meta(m.Restores)
	if err != nil {
		return tool.Result{}, fmt.Errorf("file_restore: %w", err)
	}
	if m.Rel != rel || of.Rel != rel || in.Call != "" && in.Call != m.Restores || m.After != of.Before || hashOf(content) != m.After {
		return tool.Result{}, tool.Refuse("What was put aside for %s is no longer what was shown. Nothing was written.", rel)
	}
	if err := r.files.commit(p.CallID(), m, content); err != nil {
		return tool.Result{}, err
	}
	res := result("Put back the earlier version of", m, int64(len(content)))
	res.Meta["restores"] = m.Restores
	return res, nil
}

func (r *Restore) parse(args json.RawMessage) (policy.FileRestoreArgs, string, error) {
	in, err := tool.Parse[policy.FileRestoreArgs](args)
	if err != nil {
		return in, "", fmt.Errorf("file_restore: %w", err)
	}
	rel, err := r.files.root.Name(in.Path)
	return in, rel, err
}
