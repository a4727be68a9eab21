package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// after finds what a call has read of the marked files, and marks those that it has written.
func (r *run) after(c *call, out gate.Outcome) {
	c.read = r.fromFiles(c, out)
	r.marksFiles(c, out)
}

// marksFiles notes the files that a call of a tainted run has written: the files of the business are inside, but these hold
// what came from outside. The run may have been stopped meanwhile. Of what a clean run has written anew nothing is left that
// was marked before, until it is put back.
func (r *run) marksFiles(c *call, out gate.Outcome) {
	by := slices.Concat(r.sources(), out.Taint, c.read)
	replaces := c.Tool == "file_write" || c.Tool == restoreTool
	if len(by) == 0 && !replaces {
		return
	}
	files := c.wrote(out)
	if len(files) == 0 {
		return
	}
	by = by[:min(len(by), maxOrigins)]
	at := micros(r.t.rt.d.Now())
	mark := func(tx txn) error {
		if replaces {
			if err := replaced(tx, gate.Call{ID: c.ID, Tool: c.Tool, Args: ranArgs(c, out)}, out, files, at); err != nil {
				return err
			}
		}
		if len(by) == 0 && c.Tool == "file_write" && out.State == wire.ToolDone {
			return unmark(tx, files, micros(c.began))
		}
		return setMarks(tx, files, by, at)
	}
	if err := write(context.Background(), r.t.rt.d.Store, mark); err != nil {
		r.t.rt.d.Log.Error("marked files not kept yet", "call_id", c.ID, "error", err)
		r.t.rt.flush.later(mark)
	}
}

// maxOrigins is of how many sources it is noted that they stand behind a file. One is enough to taint.
const maxOrigins = 5

func setMarks(tx txn, files []string, by []policy.Source, at int64) error {
	for _, f := range files {
		for _, s := range by {
			err := tx.exec("mark file", "INSERT INTO derived_files (path, source, ref, at) VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET at = excluded.at", f, s.Source, s.ID, at)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// unmark takes away the marks that files had at a time. One that has come since is of another call, which may have written
// last.
func unmark(tx txn, files []string, before int64) error {
	for _, f := range files {
		if err := tx.exec("unmark file", "DELETE FROM derived_files WHERE path = ? AND at < ?", f, before); err != nil {
			return err
		}
	}
	return nil
}

// tidyMarks lets go of the marks of files that are gone and cannot be put back any more. Where the folder is not there
// either, or is empty, what held them may not be mounted just now: they come back with it.
func (r *Runtime) tidyMarks(ctx context.Context) error {
	all, err := r.marksWhere(ctx, "HAVING max(at) < ?", micros(r.d.Now().Add(-wire.KeptFor)))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m marked) bool { return r.exists(m.path) || bare(filepath.Dir(r.absolute(m.path))) })
	return write(ctx, r.d.Store, func(tx txn) error {
		if err := tx.exec("let go of kept marks", "DELETE FROM kept_marks WHERE at < ?", micros(r.d.Now().Add(-2*wire.KeptFor))); err != nil { // what is kept goes with the next write only
			return err
		}
		for _, m := range all {
			if err := tx.exec("let go of mark", "DELETE FROM derived_files WHERE path = ?", m.path); err != nil {
				return err
			}
		}
		return nil
	})
}

// bare says whether nothing is seen in a folder.
func bare(folder string) bool {
	f, err := os.Open(folder)
	if err != nil {
		return true
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err != nil
}

// foresees notes the marked files that there are before a call, which may move them, and finds the taint of those that a
// command may read before it is decided: what is read and written in one go is judged as what it is. The run is tainted by it
// once the command has run.
func (r *run) foresees(c *call) {
	if !slices.Contains(readers, c.Tool) {
		return
	}
	var err error
	c.marked, err = r.t.rt.markedFiles(context.WithoutCancel(r.ctx), nil)
	if c.Tool == "shell" {
		c.foreseen = r.readOf(c, c.Args, c.marked, err)
	}
}

// readers are the tools that show files.
var readers = []string{"file_read", "env_read", "shell"}

// fromFiles is the taint of the marked files that a call may have read, one that failed too: what a command had printed
// when it was stopped stands in its refusal. What ran is judged, which a person may have edited. When the marks cannot be
// read, that itself taints.
func (r *run) fromFiles(c *call, out gate.Outcome) []policy.Source {
	if out.State == wire.ToolDenied || !slices.Contains(readers, c.Tool) {
		return nil
	}
	all, err := r.t.rt.markedFiles(context.WithoutCancel(r.ctx), c.marked)
	return r.readOf(c, string(ranArgs(c, out)), all, err)
}

// ranArgs are the arguments that ran or were to run.
func ranArgs(c *call, out gate.Outcome) []byte {
	if len(out.Args) > 0 {
		return out.Args
	}
	return []byte(c.Args)
}

func (r *run) readOf(c *call, args string, all []marked, err error) []policy.Source {
	if err != nil {
		r.t.rt.d.Log.Error("marked files not read", "call_id", c.ID, "error", err)
		return []policy.Source{{Source: "a file of unknown origin", ID: c.ID}}
	}
	if len(all) == 0 {
		return nil
	}
	read := readBy(c.Tool, args)
	var at []string
	for _, o := range read.operands {
		at = append(at, r.t.rt.names(o)...)
	}
	anything := read.any || slices.ContainsFunc(at, ofProcess.MatchString)
	var by []policy.Source
	for _, f := range all {
		if anything || f.meets(at) {
			first, _, _ := strings.Cut(f.source, keptIn) // where it was before is nothing new
			by = append(by, policy.Source{Source: first + keptIn + f.path, ID: f.ref})
		}
	}
	return by
}

const keptIn = ", kept in "

// marked is a file that holds content from outside, and that is there, or a folder of such.
type marked struct {
	path, source, ref string
	names             []string // absolute ones: as it is marked, and where links lead from there
	is                inode
}

// inode is what a file keeps when it gets another name.
type inode struct{ dev, ino uint64 }

func inodeOf(st unix.Stat_t) inode { return inode{st.Dev, st.Ino} }

// markedFiles are all that are there, after those that were there before.
func (r *Runtime) markedFiles(ctx context.Context, before []marked) ([]marked, error) {
	known := map[string]bool{}
	for _, m := range before {
		known[m.path] = true
	}
	all, err := r.marksWhere(ctx, "")
	more := slices.DeleteFunc(all, func(m marked) bool { return known[m.path] })
	return append(slices.Clone(before), r.there(more)...), err
}

// marksWhere reads marks, whether their files are there or not, one for each file.
func (r *Runtime) marksWhere(ctx context.Context, having string, args ...any) ([]marked, error) {
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT path, source, ref, min(at) FROM derived_files GROUP BY path "+having+" ORDER BY 4, path", args...)
	if err != nil {
		return nil, fmt.Errorf("read marked files: %w", err)
	}
	defer rows.Close()
	var all []marked
	for rows.Next() {
		var m marked
		var at int64
		if err := rows.Scan(&m.path, &m.source, &m.ref, &at); err != nil {
			return nil, fmt.Errorf("read marked files: %w", err)
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

// there looks for marked files on the disk, and for each of their folders once. What is not there is left out.
func (r *Runtime) there(all []marked) []marked {
	folders := map[string]string{} // where they really are
	found := all[:0]
	for _, m := range all {
		at := r.absolute(m.path)
		var st unix.Stat_t
		if missing(unix.Lstat(at, &st)) {
			continue
		}
		folder, base := filepath.Split(at)
		if folders[folder] == "" {
			names := r.names(folder)
			folders[folder] = names[len(names)-1]
		}
		m.is, m.names = inodeOf(st), []string{at}
		if real := filepath.Join(folders[folder], base); real != at {
			m.names = append(m.names, real)
		}
		if st.Mode&unix.S_IFMT == unix.S_IFLNK {
			m.names = append(m.names, r.names(at)...)
		}
		found = append(found, m)
	}
	return found
}

// meets says whether one of these absolute names is of the file, by whatever name that goes, or of a folder above or below.
func (m marked) meets(at []string) bool {
	return slices.ContainsFunc(m.names, func(name string) bool {
		return slices.ContainsFunc(at, func(a string) bool { return within(a, name) || within(name, a) })
	})
}

// readBy is what a call that reads may show.
func readBy(tool, args string) reach {
	if tool == "shell" {
		var in policy.ShellArgs
		if json.Unmarshal([]byte(args), &in) != nil {
			return reach{any: true}
		}
		return reachOf(in.Command)
	}
	var in policy.FileReadArgs
	if json.Unmarshal([]byte(args), &in) != nil {
		return reach{any: true} // it was read: who knows what
	}
	return reach{operands: []string{in.Path}}
}

// names are the absolute names of a file: as it is written, and where links lead from there.
func (r *Runtime) names(name string) []string {
	all := []string{r.absolute(name)}
	if !filepath.IsAbs(name) {
		name = r.d.Root + "/" + name // not cleaned: what lies above a link is not what is written before it
	}
	if at, err := filepath.EvalSymlinks(name); err == nil {
		all = append(all, at)
	}
	return all
}

// ofProcess is what a process shows of its files, which may be any.
var ofProcess = lazyre.MustCompile(`^/proc/([0-9]+|self|thread-self)/`)

// within says whether an absolute name is that of a folder or of something in it.
func within(folder, name string) bool {
	rest, ok := strings.CutPrefix(name, folder)
	return ok && (rest == "" || rest[0] == '/' || folder == "/")
}
