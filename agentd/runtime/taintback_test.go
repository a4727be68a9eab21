package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

// startKeeping is a server with files whose earlier contents can be put back.
func startKeeping(t *testing.T) (s *server, data string) {
	t.Helper()
	dir := t.TempDir()
	data = filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(data, "notes"), 0o750); err != nil {
		t.Fatal(err)
	}
	return startIn(t, dir, options{model: keeps(), tools: func(dir string) ([]gate.Tool, error) {
		state := filepath.Join(dir, "state")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, err
		}
		root, err := dataroot.Open(data, state)
		if err != nil {
			return nil, err
		}
		write, err := filewrite.New(root, time.Now)
		shell := &gatetest.Fake{Name: "shell", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}, Limit: time.Minute}
		return []gate.Tool{shell, fileread.New(root), write, filewrite.NewRestore(write)}, err
	}}), data
}

// alone has a clean run do something that nobody is asked about, and gives the id of its one call.
func (s *server) alone(t *testing.T, text string) string {
	t.Helper()
	m, a := s.asked(t, id(t), "it-admin", text)
	if a != nil {
		t.Fatalf("%s is asked about: %s", text, a.WhyAsked)
	}
	r := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if len(r.Calls) != 1 || r.Calls[0].State != wire.ToolDone {
		t.Fatalf("%s: %+v", text, r.Calls)
	}
	return r.Calls[0].ID
}

// fromOutside has a tainted run write a file, and gives the id of that call.
func (s *server) fromOutside(t *testing.T, file string) string {
	t.Helper()
	_, a := s.asked(t, id(t), "it-admin", "read save:"+file)
	wantTainted(t, a)
	s.allow(t, a)
	return a.CallID
}

// TestTaint_putBack: what a clean run has put back is as much from outside as it was before a clean run wrote over it.
func TestTaint_putBack(t *testing.T) {
	t.Parallel()
	const file = "notes/mail.md"
	for name, story := range map[string]func(s *server, t *testing.T){
		"written over, and back": func(s *server, t *testing.T) {
			s.fromOutside(t, file)
			over := s.alone(t, "save:"+file)
			wantMarks(t, s, file, false)
			s.alone(t, "/restore "+over)
		},
		"and once more": func(s *server, t *testing.T) {
			s.fromOutside(t, file)
			s.alone(t, "/restore "+s.alone(t, "save:"+file))
			over := s.alone(t, "save:./"+file)
			wantMarks(t, s, file, false)
			s.alone(t, "/restore "+over)
		},
		"by taking back what took it back": func(s *server, t *testing.T) {
			s.alone(t, "save:"+file)
			back := s.alone(t, "/restore "+s.fromOutside(t, file))
			s.alone(t, "save:./"+file)
			wantMarks(t, s, file, false)
			s.alone(t, "/restore "+back+" anyway")
		},
		"by taking back what came from outside over it": func(s *server, t *testing.T) {
			s.fromOutside(t, file)
			again := s.fromOutside(t, "./"+file)
			s.alone(t, "save:"+file)
			wantMarks(t, s, file, false)
			s.alone(t, "/restore "+again+" anyway")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, data := startKeeping(t)
			story(s, t)
			if b, err := os.ReadFile(filepath.Join(data, file)); err != nil || !strings.HasPrefix(string(b), "read ") {
				t.Fatalf("what came from outside is not back: %q, %v", b, err)
			}
			wantMarks(t, s, file, true)
			_, a := s.asked(t, id(t), "it-admin", "open:"+file+" save:notes/c.md")
			if a == nil || len(a.Taint) == 0 || !strings.Contains(a.Taint[0].Source, "kept in "+file) {
				t.Fatalf("%+v", a)
			}
			s.allow(t, a)
		})
	}
}

func wantMarks(t *testing.T, s *server, file string, some bool) {
	t.Helper()
	if n := s.marked(t, file); n > 0 != some {
		t.Fatalf("%s has %d marks", file, n)
	}
}

// TestTaint_putBackOwn: what never came from outside does not by being put back.
func TestTaint_putBackOwn(t *testing.T) {
	t.Parallel()
	const file = "notes/own.md"
	s, _ := startKeeping(t)
	s.alone(t, "save:"+file)
	s.alone(t, "/restore "+s.alone(t, "save:./"+file))
	wantMarks(t, s, file, false)
}

// TestTaint_putBackAtTheCommandLine: who puts something back beside the runtime has it marked as well.
func TestTaint_putBackAtTheCommandLine(t *testing.T) {
	t.Parallel()
	const file = "notes/mail.md"
	s, _ := startKeeping(t)
	s.fromOutside(t, file)
	over := s.alone(t, "save:"+file)
	out := taint.Outcome{Result: tool.Result{Effects: []tool.Effect{{Kind: "written", Target: file}}, Meta: map[string]any{"restores": over}}}
	for _, state := range []wire.ToolState{wire.ToolDenied, wire.ToolDone} {
		wantMarks(t, s, file, false)
		out.State = state
		if err := taint.PutBack(t.Context(), s.DB, taint.Call{ID: id(t), Tool: "file_restore"}, out, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	wantMarks(t, s, file, true)
}
