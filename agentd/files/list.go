package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"gatehouse/agentd/wire"
)

const (
	usualPage = 100
	mostPage  = 200
)

// tempPrefix begins the names of files that hold what is being written, beside their targets.
const tempPrefix = ".gatehouse-"

// list answers one page of a folder, or what is found below it.
func (f *Files) list(ctx context.Context, p wire.FilesParams) (wire.FilesResult, error) {
	rel, err := f.name(p.Path)
	if err != nil {
		return wire.FilesResult{}, err
	}
	if strings.TrimSpace(p.Q) != "" {
		return f.search(ctx, rel, fold(strings.TrimSpace(p.Q)))
	}
	folder, err := f.d.Root.Folder(rel)
	if err != nil {
		return wire.FilesResult{}, err
	}
	defer folder.Close()
	entries, err := folder.Entries()
	if err != nil {
		return wire.FilesResult{}, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), tempPrefix) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return placeOf(a).compare(placeOf(b)) })
	return f.page(p, rel, entries)
}

// page cuts one page out of the sorted entries of a folder.
func (f *Files) page(p wire.FilesParams, rel string, entries []fs.DirEntry) (wire.FilesResult, error) {
	out := wire.FilesResult{Path: shown(rel), Here: f.infoOf(rel), Items: []wire.FileInfo{}, Total: len(entries)}
	if p.After != "" {
		after := place{folder: strings.HasPrefix(p.After, "d"), name: p.After[1:]}
		at, _ := slices.BinarySearchFunc(entries, after, func(e fs.DirEntry, to place) int {
			return cmp.Or(placeOf(e).compare(to), -1) // what it names stood on the page before
		})
		entries = entries[at:]
	}
	limit := p.Limit
	if limit <= 0 || limit > mostPage {
		limit = usualPage
	}
	if len(entries) > limit {
		entries = entries[:limit]
		out.Next = placeOf(entries[limit-1]).String()
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since it was listed
		}
		if err != nil {
			return out, fmt.Errorf("look at entry: %w", err)
		}
		out.Items = append(out.Items, f.info(path.Join(rel, e.Name()), info))
	}
	return out, nil
}

// info is an entry as people see it.
func (f *Files) info(rel string, info fs.FileInfo) wire.FileInfo {
	i := wire.FileInfo{Path: rel, Kind: wire.FileOther, Modified: info.ModTime().UTC(), Closed: f.closed(rel), Version: versionOf(info)}
	switch {
	case info.IsDir():
		i.Kind = wire.FileFolder
	case info.Mode().IsRegular():
		i.Kind, i.Size, i.Unkept = wire.FilePlain, info.Size(), !f.d.Versions.Room(info.Size())
	}
	return i
}

// shown is a name beneath the data folder as people see it: empty for that itself.
func shown(rel string) string {
	if rel == "." {
		return ""
	}
	return rel
}

// place is where an entry stands in its folder.
type place struct {
	folder bool
	name   string
}

func placeOf(e fs.DirEntry) place { return place{e.IsDir(), e.Name()} }

func (p place) compare(q place) int {
	if p.folder != q.folder {
		if p.folder {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(fold(p.name), fold(q.name)), cmp.Compare(p.name, q.name))
}

// String is the place as a cursor.
func (p place) String() string {
	if p.folder {
		return "d" + p.name
	}
	return "f" + p.name
}

// fold makes names comparable as people compare them.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }
