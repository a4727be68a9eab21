package filedelete

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
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
