package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// marksFiles notes the files that a tainted run has written: the files of the business are inside, but these hold what
// came from outside.
func (r *run) marksFiles(out gate.Outcome) {
	by := r.sources()
	if out.State != wire.ToolDone || len(by) == 0 {
		return
	}
	at := micros(r.t.rt.d.Now())
	for _, e := range out.Result.Effects {
		if e.Kind != "written" {
			continue
		}
		r.t.later(func(tx txn) error {
			for _, s := range by {
				if err := tx.exec("mark file", "INSERT OR IGNORE INTO derived_files (path, source, ref, at) VALUES (?,?,?,?)", path.Clean(e.Target), s.Source, s.ID, at); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// fromFiles is the taint of the marked files that a call may have read, one that failed too: what a command had printed
// when it was stopped stands in its refusal. What ran is judged, which a person may have edited. When the marks cannot be
// read, that itself taints.
func (r *run) fromFiles(c *call, out gate.Outcome) []policy.Source {
	reads := map[string]func(string, string) bool{"file_read": isFile, "env_read": isFile, "shell": mentions}
	fits := reads[c.Tool]
	if fits == nil || out.State != wire.ToolDone && out.State != wire.ToolFailed {
		return nil
	}
	ran := cmp.Or(string(out.Args), c.Args)
	all, err := r.t.rt.markedFiles(context.WithoutCancel(r.ctx))
	if err != nil {
		r.t.rt.d.Log.Error("marked files not read", "call_id", c.ID, "error", err)
		return []policy.Source{{Source: "a file of unknown origin", ID: c.ID}}
	}
	var by []policy.Source
	for _, f := range all {
		if fits(ran, f.path) {
			by = append(by, policy.Source{Source: f.source + ", kept in " + f.path, ID: f.ref})
		}
	}
	return by
}

// marked is a file that holds content from outside.
type marked struct{ path, source, ref string }

func (r *Runtime) markedFiles(ctx context.Context) ([]marked, error) {
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT path, source, ref FROM derived_files ORDER BY at, path")
	if err != nil {
		return nil, fmt.Errorf("read marked files: %w", err)
	}
	defer rows.Close()
	var all []marked
	for rows.Next() {
		var m marked
		if err := rows.Scan(&m.path, &m.source, &m.ref); err != nil {
			return nil, fmt.Errorf("read marked files: %w", err)
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

// isFile says whether the path of a call is that of a file, written relative or absolute.
func isFile(args, file string) bool {
	var in policy.FileReadArgs
	if json.Unmarshal([]byte(args), &in) != nil {
		return true // it was read: who knows what
	}
	at := path.Clean(in.Path)
	return at == file || strings.HasSuffix(at, "/"+file)
}

// mentions says whether a command may read a file: it names the file or a folder above it, or leaves open what it reads.
func mentions(args, file string) bool {
	var in policy.ShellArgs
	if json.Unmarshal([]byte(args), &in) != nil || strings.ContainsAny(in.Command, "*?[{$`") {
		return true
	}
	for _, part := range strings.Split(file, "/") {
		if strings.Contains(in.Command, part) {
			return true
		}
	}
	return strings.Contains(in.Command, " .") || strings.Contains(in.Command, " -r") || strings.Contains(in.Command, " -R")
}
