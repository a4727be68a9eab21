package filedelete

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/version"
)

// unchanged compares the whole list with the world before the first deletion. What is gone already is fine.
func (t *Tool) unchanged(l list) error {
	changed := 0
	for _, e := range l {
		info, err := t.root.Lstat(e.Rel)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || newEntry(e.Rel, info) != e {
			changed++
		}
	}
	if changed > 0 {
		return tool.Refuse("%s changed since this was measured. Nothing was deleted; ask again.", tool.Count(int64(changed), "file", "files"))
	}
	return nil
}

// deleteAll deletes entry by entry, and tells what was gone already. What changes in between, or cannot be removed, is kept
// and said.
func (t *Tool) deleteAll(ctx context.Context, l list) (done, gone list, kept []error) {
	for _, e := range l {
		if ctx.Err() != nil {
			kept = append(kept, tool.Refuse("stopped before %s.", e.Rel))
			break
		}
		switch ok, err := t.deleteOne(e); {
		case err != nil:
			kept = append(kept, err)
		case ok:
			done = append(done, e)
		default:
			gone = append(gone, e)
		}
	}
	return done, gone, kept
}

// deleteOne deletes one entry if it is still the one that was measured; ok is false when it was gone already.
func (t *Tool) deleteOne(e entry) (ok bool, err error) {
	folder, err := t.root.Folder(path.Dir(e.Rel))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer folder.Close()
	info, err := folder.Lstat(path.Base(e.Rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case newEntry(e.Rel, info) != e || folder.Path(path.Base(e.Rel)) != e.Rel:
		return false, tool.Refuse("%s changed.", e.Rel)
	}
	if err := folder.Remove(path.Base(e.Rel)); err != nil {
		return false, dataroot.Explain(e.Rel, err)
	}
	return true, nil
}

func result(done list, kept []error) tool.Result {
	files, folders, bytes := done.figures()
	text := "Deleted " + tool.Count(files, "file", "files") + ", " + tool.Bytes(bytes)
	if folders > 0 {
		text += ", and " + tool.Count(folders, "folder", "folders")
	}
	if len(kept) > 0 {
		text += fmt.Sprintf("; %d not deleted (%s)", len(kept), strings.TrimSuffix(kept[0].Error(), "."))
	}
	r := tool.Result{Text: text + ".\n", Summary: text, Facts: done.facts()}
	for _, e := range done {
		r.Text += e.Rel + "\n"
	}
	if len(done) > 0 {
		r.Effects = []tool.Effect{{Kind: "deleted", Target: common(done), Count: int(files)}}
	}
	return r
}

// common is what was deleted as one target: the entry, or the folder that holds all of them.
func common(l list) string {
	if len(l) == 1 {
		return l[0].Rel
	}
	dir := path.Dir(l[0].Rel)
	for _, e := range l {
		for dir != "." && e.Rel != dir && !isIn(e.Rel, dir) {
			dir = path.Dir(dir)
		}
	}
	return dir
}

func isIn(p, dir string) bool { return len(p) > len(dir) && p[:len(dir)] == dir && p[len(dir)] == '/' }

// keep keeps what is about to be deleted, for a way back, and says what of it is not. What cannot be kept is deleted all the
// same: a person or a rule has allowed that, and it may be what makes room.
func (t *Tool) keep(ctx context.Context, callID string, l list) string {
	if t.kept == nil {
		return ""
	}
	rels := make([]string, len(l))
	for i, e := range l {
		rels[i] = e.Rel
	}
	lost, err := t.kept.Keep(ctx, version.Kept{ID: callID, Did: "deleted", Path: common(l)}, rels)
	switch {
	case err != nil:
		slog.WarnContext(ctx, "deleted files are not kept", "call_id", callID, "error", err)
		return "Nothing of this is kept, so it cannot be taken back.\n"
	case lost > 0:
		return tool.Count(int64(lost), "entry", "entries") + " of these could not be kept and cannot be put back.\n"
	}
	return ""
}

// forget lets go of what was kept, because nothing was deleted.
func (t *Tool) forget(ctx context.Context, callID string) {
	if t.kept == nil {
		return
	}
	if err := t.kept.Drop(callID); err != nil {
		slog.WarnContext(ctx, "files that were not deleted stay kept", "call_id", callID, "error", err)
	}
}
