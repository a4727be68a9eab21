package taint

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Call is a tool call as far as its files matter.
type Call struct {
	ID, Tool string
	Args     string // as they were asked for, JSON
}

// Outcome is how a call ended.
type Outcome struct {
	State  wire.ToolState
	Tier   policy.Tier
	Args   json.RawMessage // that ran or were to run, which a person may have edited; empty: those of the call
	Result tool.Result
}

// ranArgs are the arguments that ran or were to run.
func (o Outcome) ranArgs(c Call) []byte {
	if len(o.Args) > 0 {
		return o.Args
	}
	return []byte(c.Args)
}

// Tracker follows the files of one call.
type Tracker struct {
	files    *Files
	call     Call
	began    time.Time // when the call can first have changed a file
	marked   []file    // that were there before the call, which may move them
	foreseen []policy.Source
}

// readers are the tools that show files.
var readers = []string{"file_read", "attach", "env_read", "shell"}

// Track begins to follow a call that can have changed files since began; zero: from now on. It looks up the marked files
// before the call can move them.
func (f *Files) Track(ctx context.Context, c Call, began time.Time) *Tracker {
	t := &Tracker{files: f, call: c, began: began}
	if began.IsZero() {
		t.Restart()
	}
	if !slices.Contains(readers, c.Tool) {
		return t
	}
	var err error
	t.marked, err = f.marked(ctx, nil)
	if c.Tool == "shell" {
		t.foreseen = f.readBy(c, c.Args, t.marked, err)
	}
	return t
}

// Restart notes that the call can do something only from now on, by the clock that the file system uses.
func (t *Tracker) Restart() { t.began = time.Now() }

// Foreseen are the sources of the files that a command may read, known before it is decided: a command that reads and
// writes in one go is judged as tainted. The run itself is tainted when the command has run.
func (t *Tracker) Foreseen() []policy.Source { return t.foreseen }

// Reads are the sources of the marked files that the call may have read, even if it failed: what a command printed before it
// was stopped is in its refusal. It judges the arguments that ran. Marks that cannot be read taint, too.
func (t *Tracker) Reads(ctx context.Context, out Outcome) []policy.Source {
	if out.State == wire.ToolDenied || !slices.Contains(readers, t.call.Tool) {
		return nil
	}
	all, err := t.files.marked(ctx, t.marked)
	return t.files.readBy(t.call, string(out.ranArgs(t.call)), all, err)
}

// Writes returns the change that marks the files the call has written; nil when there is none. A file of the business is
// inside, but one that was written by a run with these sources holds their content. A file that a clean run has written
// loses its marks until the earlier content is put back.
func (t *Tracker) Writes(out Outcome, by []policy.Source, now time.Time) func(*sql.Tx) error {
	replaces := t.call.Tool == "file_write" || t.call.Tool == RestoreTool
	if len(by) == 0 && !replaces {
		return nil
	}
	files := t.wrote(out)
	if len(files) == 0 {
		return nil
	}
	by = by[:min(len(by), maxOrigins)]
	s, clean := t.files.store, len(by) == 0 && t.call.Tool == "file_write" && out.State == wire.ToolDone
	began := t.began
	return func(tx *sql.Tx) error {
		if replaces {
			if err := replaceMarks(s, tx, t.call, out, files, now); err != nil {
				return err
			}
		}
		if clean {
			return dropMarks(s, tx, files, began)
		}
		return setMarks(s, tx, files, by, now)
	}
}

// readBy are the sources of those of the marked files that a call may show.
func (f *Files) readBy(c Call, args string, all []file, err error) []policy.Source {
	if err != nil {
		f.log.Error("marked files not read", "call_id", c.ID, "error", err)
		return []policy.Source{{Source: "a file of unknown origin", ID: c.ID}}
	}
	if len(all) == 0 {
		return nil
	}
	a := accessOf(c.Tool, args)
	var names []string
	for _, o := range a.operands {
		names = append(names, f.names(o)...)
	}
	anything := a.any || slices.ContainsFunc(names, procPath.MatchString)
	var by []policy.Source
	for _, one := range all {
		if anything || one.matches(names) {
			origin, _, _ := strings.Cut(one.source, keptIn) // where it was before is nothing new
			by = append(by, policy.Source{Source: origin + keptIn + one.path, ID: one.ref})
		}
	}
	return by
}

const keptIn = ", kept in "
