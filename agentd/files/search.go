package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/wire"
)

// Bounds of a search: a person who finds nothing among so many types more of the name.
const (
	mostFound  = 200
	mostLooked = 50_000
	searchTime = 1500 * time.Millisecond
)

// errEnough ends a search early.
var errEnough = errors.New("enough was found")

// search finds what has a name like q in a folder and below. q is folded.
func (f *Files) search(ctx context.Context, rel, q string) (wire.FilesResult, error) {
	out := wire.FilesResult{Path: shown(rel), Items: []wire.FileInfo{}}
	until, looked := f.d.Now().Add(searchTime), 0
	err := fs.WalkDir(f.d.Root.FS(), rel, func(p string, d fs.DirEntry, err error) error {
		if looked++; looked > mostLooked || len(out.Items) >= mostFound || f.d.Now().After(until) {
			return errEnough
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p == rel:
			return err // of the folder itself
		case err != nil:
			return skip(d) // gone meanwhile, or nobody may look in
		case d.IsDir() && f.closed(p), strings.HasPrefix(d.Name(), tempPrefix):
			return skip(d)
		case !strings.Contains(fold(d.Name()), q):
			return nil
		}
		if info, err := d.Info(); err == nil {
			out.Items = append(out.Items, f.info(p, info))
		}
		return nil
	})
	if out.More = errors.Is(err, errEnough); err != nil && !out.More {
		return out, dataroot.Explain(rel, err)
	}
	slices.SortStableFunc(out.Items, func(a, b wire.FileInfo) int {
		return place{a.Kind == wire.FileFolder, path.Base(a.Path)}.compare(place{b.Kind == wire.FileFolder, path.Base(b.Path)})
	})
	out.Total = len(out.Items)
	return out, nil
}

// skip leaves out an entry with all in it.
func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
