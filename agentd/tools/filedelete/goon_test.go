package filedelete_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// interrupted is the tool in a process that ends before or after it has done its work, the first time it runs.
type interrupted struct {
	*filedelete.Tool
	done  bool // the work, before the end
	again bool
}

func (i *interrupted) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if i.again {
		return i.Tool.Run(ctx, p, args)
	}
	i.again = true
	if i.done {
		if _, err := i.Tool.Run(ctx, p, args); err != nil {
			return tool.Result{}, err
		}
	}
	return tool.Result{}, gate.ErrClosing
}

// TestInterrupted: a deletion that goes on after an interruption says how many files are gone in all, and nothing that it
// cannot know of files that have come in the place of others.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		done  bool
		write map[string]string // between the two lives
		state wire.ToolState
		says  []string
	}{
		"before it began":        {state: wire.ToolDone, says: []string{"Deleted 2 files, 15 bytes.", "0 of these were gone already"}},
		"after it was done":      {done: true, state: wire.ToolDone, says: []string{"Deleted 2 files, 15 bytes.", "2 of these were gone already"}},
		"one came anew":          {done: true, write: map[string]string{"tmp/a.tmp": "another"}, state: wire.ToolDone, says: []string{"Deleted 1 file, 10 bytes; 1 not deleted (tmp/a.tmp changed)"}},
		"all came anew":          {done: true, write: map[string]string{"tmp/a.tmp": "another", "tmp/b.tmp": "another"}, state: wire.ToolFailed, says: []string{"interrupted", "not known"}},
		"one changed before all": {write: map[string]string{"tmp/a.tmp": "another"}, state: wire.ToolDone, says: []string{"Deleted 1 file", "1 not deleted"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := tooltest.NewDir(t)
			d.Write(t, files)
			w := world{d, tooltest.NewGate(t, d, &interrupted{Tool: filedelete.New(d.Root, nil), done: c.done})}
			call := w.Call(t, "file_delete", path("tmp/*.tmp"))
			if _, err := w.Gate.Gate.Do(t.Context(), call, w.allows(t, call.RunID)); !errors.Is(err, gate.ErrClosing) {
				t.Fatal(err)
			}
			w.Write(t, c.write)
			o, err := w.Gate.Gate.Do(t.Context(), call, nil)
			if err != nil || o.State != c.state {
				t.Fatalf("%+v, %v", o, err)
			}
			for _, s := range c.says {
				if !strings.Contains(o.Text, s) {
					t.Errorf("%q lacks %q", o.Text, s)
				}
			}
			for _, name := range []string{"tmp/a.tmp", "tmp/b.tmp"} {
				if w.Has(name) != (c.write[name] != "") {
					t.Errorf("%s is there: %v", name, w.Has(name))
				}
			}
		})
	}
}

// allows answers what a run asks as the owner.
func (w world) allows(t *testing.T, run string) func(bool) {
	return func(waits bool) {
		if !waits {
			return
		}
		go func() {
			list, err := w.Pending(run)
			for _, a := range list {
				err = errors.Join(err, w.Decide(gatetest.Answer(a, wire.AllowOnce)))
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
}
