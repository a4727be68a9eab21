package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// marksFiles notes the files that a call of a tainted run has written: the files of the business are inside, but these hold
// what came from outside. The run may have been stopped meanwhile.
func (r *run) marksFiles(c *call, out gate.Outcome) {
	by := slices.Concat(r.sources(), out.Taint, r.fromFiles(c, out))
	files := c.wrote(out)
	switch {
	case len(by) > 0 && len(files) > 0:
	case len(by) == 0 && c.Tool == "file_write" && out.State == wire.ToolDone:
		by = nil // nothing of what stood there is left
	default:
		return
	}
	by = by[:min(len(by), maxOrigins)]
	at := micros(r.t.rt.d.Now())
	mark := func(tx txn) error { return setMarks(tx, files, by, at) }
	if err := write(context.Background(), r.t.rt.d.Store, mark); err != nil {
		r.t.rt.d.Log.Error("marked files not kept yet", "call_id", c.ID, "error", err)
		r.t.rt.flush.later(mark)
	}
}

// maxOrigins is of how many sources it is noted that they stand behind a file. One is enough to taint.
const maxOrigins = 5

// setMarks marks files with their sources; without any it takes their marks away.
func setMarks(tx txn, files []string, by []policy.Source, at int64) error {
	for _, f := range files {
		if len(by) == 0 {
			if err := tx.exec("unmark file", "DELETE FROM derived_files WHERE path = ?", f); err != nil {
				return err
			}
		}
		for _, s := range by {
			if err := tx.exec("mark file", "INSERT OR IGNORE INTO derived_files (path, source, ref, at) VALUES (?,?,?,?)", f, s.Source, s.ID, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// foresees finds the taint of the marked files that a command may read, before it is decided: what is read and written in
// one go is judged as what it is. The run is tainted by it once the command has run.
func (r *run) foresees(c *call) {
	if c.Tool != "shell" {
		return
	}
	all, err := r.t.rt.markedFiles(context.WithoutCancel(r.ctx))
	for _, f := range all {
		if r.t.rt.exists(f.path) {
			c.marked = append(c.marked, f.path)
		}
	}
	c.foreseen = r.readOf(c, c.Args, all, err)
}

// fromFiles is the taint of the marked files that a call may have read, one that failed too: what a command had printed
// when it was stopped stands in its refusal. What ran is judged, which a person may have edited. When the marks cannot be
// read, that itself taints.
func (r *run) fromFiles(c *call, out gate.Outcome) []policy.Source {
	if out.State == wire.ToolDenied || !slices.Contains([]string{"file_read", "env_read", "shell"}, c.Tool) {
		return nil
	}
	all, err := r.t.rt.markedFiles(context.WithoutCancel(r.ctx))
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
	var by []policy.Source
	for _, f := range all {
		if read.any && r.t.rt.exists(f.path) || r.t.rt.leadTo(at, f.path) {
			first, _, _ := strings.Cut(f.source, keptIn) // where it was before is nothing new
			by = append(by, policy.Source{Source: first + keptIn + f.path, ID: f.ref})
		}
	}
	return by
}

const keptIn = ", kept in "

// marked is a file that holds content from outside.
type marked struct{ path, source, ref string }

func (r *Runtime) markedFiles(ctx context.Context) ([]marked, error) {
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT path, source, ref, min(at) FROM derived_files GROUP BY path ORDER BY 4, path")
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

// leadTo says whether one of these absolute names is of a file, by whatever name that goes, or of a folder above it.
func (r *Runtime) leadTo(at []string, file string) bool {
	if len(at) == 0 {
		return false
	}
	meets := func(name string) bool {
		return slices.ContainsFunc(at, func(a string) bool { return overlap(a, name) })
	}
	return meets(r.absolute(file)) || slices.ContainsFunc(r.names(file), meets) // few have to be looked for on the disk
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

// overlap says whether two absolute names are the same, or one is of a folder above the other.
func overlap(a, b string) bool {
	return a == b || a == "/" || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") || ofProcess.MatchString(a)
}
