package files

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"path"
	"slices"

	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

// mostVersions is how many changes are listed for a file or a folder.
const mostVersions = 50

// versions lists what can be taken back of a file, or of what lies in a folder.
func (f *Files) versions(ctx context.Context, p wire.FileParams) (wire.FileVersionsResult, error) {
	out := wire.FileVersionsResult{Items: []wire.FileVersion{}}
	rel, err := f.name(p.Path)
	if err != nil {
		return out, err
	}
	all, err := f.changes()
	if err != nil {
		return out, err
	}
	here := content{files: f}
	for _, v := range all {
		if v.Path != rel && path.Dir(v.Path) != rel || len(out.Items) >= mostVersions {
			continue
		}
		v.Now, v.Until, v.Later = f.present(v.Path), v.Time.Add(wire.KeptFor), here.later(ctx, v)
		if v.By == "" {
			if v.Agent, v.RunID, err = f.d.Calls.Maker(ctx, v.ID); err != nil {
				return out, err
			}
		}
		out.Items = append(out.Items, v.FileVersion)
	}
	return out, nil
}

// change is one that can be taken back, with what it left.
type change struct {
	wire.FileVersion
	after string // hex SHA-256
	left  string // version, if that is known
}

// changes are all that are kept, the newest first: writes of agents, deletions, and what people did.
func (f *Files) changes() ([]change, error) {
	writes, err := filewrite.List(f.d.Root.Env().State)
	if err != nil {
		return nil, err
	}
	kept, err := f.d.Versions.List()
	if err != nil {
		return nil, err
	}
	var all []change
	for _, w := range writes {
		if w.Restores == "" { // taking back what took back is confusing; the version after it is there as well
			all = append(all, changeOfWrite(w))
		}
	}
	for _, k := range kept {
		all = append(all, changeOfKept(k))
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID)) })
	return all, nil
}

func changeOfWrite(w filewrite.Kept) change {
	v := wire.FileVersion{ID: w.Call, Path: w.Path, Did: wire.FileChanged, Time: w.Time, Files: 1}
	if w.New {
		v.Did = wire.FileMade
	}
	return change{FileVersion: v, after: w.After}
}

func changeOfKept(k version.Kept) change {
	v := wire.FileVersion{ID: k.ID, Path: k.Path, Did: wire.FileVersionOf(k.Did), Time: k.Time, By: k.By, Lost: k.Lost()}
	for _, e := range k.Entries {
		if !e.Folder {
			v.Files++
		}
	}
	return change{v, k.After, k.Left}
}

// restore takes back one change.
func (f *Files) restore(ctx context.Context, a wire.FileAct, by wire.DecidedBy) (did, error) {
	all, err := f.changes()
	if err != nil {
		return did{}, err
	}
	i := slices.IndexFunc(all, func(v change) bool { return v.ID == a.Of && v.Path == a.Path })
	if i < 0 {
		return did{}, tool.Refuse("What was there before is not kept any more. Nothing was changed.")
	}
	v := all[i]
	if err := f.as(v.Path, a.Before); err != nil {
		return did{}, err
	}
	if !a.Anyway && (&content{files: f}).later(ctx, v) {
		const text = "%s was changed again since then, and that would be undone too. Nothing was changed; reload the page first."
		return did{}, tool.Refuse(text, path.Base(v.Path))
	}
	k, err := f.d.Versions.Get(v.ID)
	if err != nil && !errors.Is(err, version.ErrGone) {
		return did{}, err
	}
	ours := err == nil
	if err := f.markBack(ctx, a, v.Path, k); err != nil {
		return did{}, err
	}
	kept := true
	switch {
	case ours:
		kept, err = f.putBack(ctx, a, by, k)
	case v.Did == wire.FileMade:
		kept, err = f.unmake(ctx, a, by)
	default:
		_, err = f.d.Writes.TakeBack(a.ID, v.ID)
	}
	if err != nil {
		return did{}, err
	}
	return did{v.Path, !kept}, f.did(ctx, a, map[string]any{"of": a.Of, "kept": kept}, nil)
}

// markBack brings back the marks of what is about to be put back: before it is there, so that a crash in between leaves
// nothing unmarked.
func (f *Files) markBack(ctx context.Context, a wire.FileAct, rel string, k version.Kept) error {
	rels := []string{rel}
	for _, e := range k.Entries {
		rels = append(rels, e.Path)
	}
	return f.d.DB.Write(ctx, func(tx *sql.Tx) error { return taint.Restored(f.d.DB, tx, a.ID, a.Of, rels, f.d.Now()) })
}

// putBack puts back what was deleted, or what a person has replaced; what is there now is kept in turn, where there is room.
func (f *Files) putBack(ctx context.Context, a wire.FileAct, by wire.DecidedBy, k version.Kept) (kept bool, err error) {
	kept = true
	if k.Did == string(wire.FileChanged) {
		kept, err = f.keep(ctx, version.Kept{
			ID: a.ID, By: by.Name, Did: k.Did, Path: k.Path, After: k.Entries[0].Hash, Restores: k.ID,
		})
		if err != nil {
			return false, err
		}
	}
	if _, err := f.d.Versions.PutBack(ctx, k.ID); err != nil {
		return false, f.notDone(ctx, a, err)
	}
	if err := f.d.Versions.Left(a.ID, f.present(k.Path)); err != nil { // then it counts as changed since
		f.d.Log.WarnContext(ctx, "what was put back is not noted", "act", a.ID, "error", err)
	}
	return kept, nil
}

// unmake takes back that a file was made: it goes, and is kept like one that was deleted.
func (f *Files) unmake(ctx context.Context, a wire.FileAct, by wire.DecidedBy) (kept bool, err error) {
	s, err := f.spotOf(a.Path)
	if err != nil {
		return false, err
	}
	defer s.Close()
	return f.keepAndRemove(ctx, a, by, s)
}
