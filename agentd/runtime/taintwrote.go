package runtime

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

const (
	// tick is how far the clock of a file system may be behind.
	tick = 20 * time.Millisecond
	// maxMarked is how many files one call marks by name. Of more, folders are marked.
	maxMarked = 500
)

// wrote are the files of the data folder that a call has changed, as far as that can be told afterwards: one that failed
// or was stopped may have done a part.
func (c *call) wrote(out gate.Outcome) []string {
	if out.State == wire.ToolDenied || out.Tier == string(policy.Green) {
		return nil
	}
	switch c.Tool {
	case "shell":
		return c.changed(readBy(c.Tool, string(ranArgs(c, out))))
	case "file_write", restoreTool, "env_update":
	default:
		return nil
	}
	var all []string
	for _, e := range out.Result.Effects {
		all = append(all, path.Clean(e.Target))
	}
	var in policy.FileReadArgs // they name the path alike
	if out.State == wire.ToolDone || json.Unmarshal(ranArgs(c, out), &in) != nil || in.Path == "" || !c.touched(in.Path) {
		return all
	}
	return []string{c.run.t.rt.inRoot(in.Path)}
}

// inRoot is a path as it is under the data folder.
func (r *Runtime) inRoot(name string) string {
	rel, err := filepath.Rel(r.d.Root, r.absolute(name))
	if err != nil {
		return path.Clean(name)
	}
	return rel
}

func (r *Runtime) absolute(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.d.Root, name)
	}
	return filepath.Clean(name)
}

// begins notes that the call can do something from now on, by the clock that the file system has as well.
func (c *call) begins() { c.began = time.Now() }

// touched says whether something was done to a file since the call began. A program can set when a file was written, but
// not when it was last changed in any way.
func (c *call) touched(rel string) bool {
	var st unix.Stat_t
	err := unix.Lstat(c.run.t.rt.absolute(rel), &st)
	return err == nil && c.changes(st)
}

func (c *call) changes(st unix.Stat_t) bool {
	return !time.Unix(st.Ctim.Unix()).Before(c.began.Add(-tick))
}

// changed are the files that were changed or have come since the call began where it may have written, and the marked ones
// that have moved there, also with a folder. What cannot be looked at counts.
func (c *call) changed(where reach) []string {
	rt := c.run.t.rt
	w := walk{call: c, gone: map[inode]bool{}}
	for _, f := range c.marked {
		var st unix.Stat_t
		if unix.Lstat(rt.absolute(f.path), &st) != nil || inodeOf(st) != f.is {
			w.gone[f.is] = true
		}
	}
	if where.any {
		where.operands = []string{rt.d.Root}
	}
	for _, o := range where.operands {
		for _, at := range rt.names(o) {
			if rel := rt.inRoot(at); filepath.IsLocal(rel) {
				_ = filepath.WalkDir(at, w.visit) // whatever it was, it is among them
			}
		}
	}
	slices.Sort(w.all)
	return fewer(slices.Compact(w.all))
}

// fewer gives folders in place of what is in them, the fullest first, until there are no more names than one call marks.
func fewer(all []string) []string {
	for len(all) > maxMarked {
		in := map[string]int{}
		for _, f := range all {
			in[path.Dir(f)]++
		}
		delete(in, ".") // that is the data folder
		if len(in) == 0 {
			return all
		}
		folded, n := map[string]bool{}, len(all)
		for _, folder := range slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(in[b]-in[a], cmp.Compare(a, b)) }) {
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
	call *call
	all  []string
	gone map[inode]bool // marked files and folders that are no longer where they were
}

func (w *walk) visit(name string, d fs.DirEntry, err error) error {
	rel := w.call.run.t.rt.inRoot(name)
	var st unix.Stat_t
	if err == nil {
		err = unix.Lstat(name, &st)
	}
	switch {
	case rel == ".", missing(err):
	case err != nil, w.gone[inodeOf(st)], !d.IsDir() && w.call.changes(st):
		w.all = append(w.all, rel)
	}
	return nil
}

// exists says whether a file of the data folder is there.
func (r *Runtime) exists(rel string) bool {
	return !missing(unix.Lstat(r.absolute(rel), new(unix.Stat_t)))
}

// missing says that a file is not there. Of one that cannot be looked at it is not known.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }
