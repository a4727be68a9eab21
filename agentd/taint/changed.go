package taint

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

const (
	// clockTick is how far the clock of a file system may lag behind.
	clockTick = 20 * time.Millisecond
	// maxMarked is how many files one call marks by name. Beyond that, it marks folders.
	maxMarked = 500
)

// wrote are the files of the data folder that a call has changed, as far as can be told afterwards: a call that failed or
// was stopped may have done a part of its work.
func (t *Tracker) wrote(out Outcome) []string {
	if out.State == wire.ToolDenied || out.Tier == policy.Green {
		return nil
	}
	switch t.call.Tool {
	case "shell":
		return t.changed(accessOf(t.call.Tool, string(out.ranArgs(t.call))))
	case "file_write", RestoreTool, "env_update":
	default:
		return nil
	}
	var in policy.FileReadArgs // they name the path alike
	known := out.State != wire.ToolDone && json.Unmarshal(out.ranArgs(t.call), &in) == nil && in.Path != ""
	if known && t.touched(in.Path) {
		return []string{t.files.relative(in.Path)}
	}
	return targets(out)
}

// touched reports whether a file has changed since the call began.
func (t *Tracker) touched(name string) bool {
	var st unix.Stat_t
	err := unix.Lstat(t.files.absolute(name), &st)
	return err == nil && t.isNew(st)
}

// isNew reports whether a file has changed in any way since the call began. Programs can set the time of the last write,
// but not the time of the last change.
func (t *Tracker) isNew(st unix.Stat_t) bool {
	return !time.Unix(st.Ctim.Unix()).Before(t.began.Add(-clockTick))
}

// changed are the files that have changed or appeared since the call began, where it may have written, and the marked ones
// that have moved there, also with their folder. A file that cannot be looked at counts.
func (t *Tracker) changed(where access) []string {
	w := walk{tracker: t, gone: map[inode]bool{}}
	for _, one := range t.marked {
		var st unix.Stat_t
		if unix.Lstat(t.files.absolute(one.path), &st) != nil || inodeOf(st) != one.inode {
			w.gone[one.inode] = true
		}
	}
	if where.any {
		where.operands = []string{t.files.root}
	}
	for _, o := range where.operands {
		for _, at := range t.files.names(o) {
			if filepath.IsLocal(t.files.relative(at)) {
				_ = filepath.WalkDir(at, w.visit) // visit returns no error
			}
		}
	}
	slices.Sort(w.all)
	return foldIntoFolders(slices.Compact(w.all))
}

// foldIntoFolders replaces files by their folders, the fullest first, until there are at most maxMarked names.
func foldIntoFolders(all []string) []string {
	for len(all) > maxMarked {
		in := map[string]int{}
		for _, f := range all {
			in[path.Dir(f)]++
		}
		delete(in, ".") // that is the data folder
		if len(in) == 0 {
			return all
		}
		fullest := func(a, b string) int { return cmp.Or(in[b]-in[a], cmp.Compare(a, b)) }
		folded, n := map[string]bool{}, len(all)
		for _, folder := range slices.SortedFunc(maps.Keys(in), fullest) {
			if n > maxMarked {
				folded[folder], n = true, n-in[folder]+1
			}
		}
		for i, f := range all {
			if folded[path.Dir(f)] {
				all[i] = path.Dir(f)
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// walk collects what a call has changed.
type walk struct {
	tracker *Tracker
	all     []string
	gone    map[inode]bool // marked files and folders that are no longer where they were
}

func (w *walk) visit(name string, d fs.DirEntry, err error) error {
	rel := w.tracker.files.relative(name)
	var st unix.Stat_t
	if err == nil {
		err = unix.Lstat(name, &st)
	}
	switch {
	case rel == ".", missing(err):
	case err != nil, w.gone[inodeOf(st)], !d.IsDir() && w.tracker.isNew(st):
		w.all = append(w.all, rel)
	}
	return nil
}
