package runtime_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

// stopStored leaves a stop that only the next life of the server carries out, as a crash right after the commit does: the
// runtime that accepts it here never starts.
func (s *server) stopStored(t *testing.T, m wire.ChatMessage) {
	t.Helper()
	idle, err := runtime.New(s.deps)
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Write(t.Context(), applying(func(tx tx) error {
		return idle.AcceptCancel(t.Context(), tx, wire.RunCancel{RunID: m.RunID, By: owner})
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// TestLeft_question: a question goes with its run, also when that ends after a restart before it comes back to the call, in
// the run itself and in one that it delegated.
func TestLeft_question(t *testing.T) {
	t.Parallel()
	switchOff := func(t *testing.T, s *server, _ wire.ChatMessage) {
		off := wire.Config{Version: 1, DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"it-admin": {Off: true}}}
		if err := s.World.Config.Adopt(t.Context(), off); err != nil {
			t.Fatal(err)
		}
	}
	for name, ends := range map[string]func(*testing.T, *server, wire.ChatMessage){
		"stopped": func(t *testing.T, s *server, m wire.ChatMessage) { s.stopStored(t, m) }, "switched off": switchOff,
	} {
		for agent, model := range map[string]model{"it-admin": once(doit("a", "red", "x", "")), "dispatcher": chain()} {
			t.Run(name+" "+agent, func(t *testing.T) {
				t.Parallel()
				dir, o := t.TempDir(), options{model: model}
				s, err := open(dir, o)
				if err != nil {
					t.Fatal(err)
				}
				m, a := s.asked(t, id(t), agent, "go")
				s.parked(t)
				ends(t, s, m)
				if err := s.close(); err != nil {
					t.Fatal(err)
				}
				s = startIn(t, dir, o)
				s.ended(t, m.RunID)
				now, err := s.Gate.Approval(t.Context(), a.ID)
				if err != nil || now.State == wire.ApprovalPending {
					t.Fatalf("%+v, %v", now, err)
				}
				if types, err := s.Types(now.RunID); err != nil || !slices.Contains(types, "call.withdrawn") {
					t.Errorf("%v, %v", types, err)
				}
			})
		}
	}
}

// ended waits until the end of a run is on record.
func (s *server) ended(t *testing.T, runID string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if r := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: runID}); !r.State.Open() {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the run does not end")
		}
	}
}

// TestLeft_started: a call that may be made again, and that nobody comes back to, has a receipt of its end: the run was
// stopped while the server was away. So has one whose run had ended before.
func TestLeft_started(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*testing.T, *server, wire.ChatMessage){
		"stopped": func(t *testing.T, s *server, m wire.ChatMessage) { s.stopStored(t, m) },
		"ended before": func(t *testing.T, s *server, m wire.ChatMessage) {
			err := s.DB.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), "UPDATE runs SET state = 'stopped', ended_at = 1 WHERE id = ?", m.RunID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, began := t.TempDir(), make(chan struct{}, 1)
			o := options{once: true, model: once(doit("a", "green", "x", "hangs")), began: func(context.Context, gate.Permit,
				json.RawMessage,
			) {
				began <- struct{}{}
			}}
			s, err := open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			m := message(t, id(t), "it-admin", "go")
			s.post(t, m)
			<-began
			before(t, s, m)
			done, cancel := context.WithCancel(t.Context())
			cancel()
			s.Gate.Close(done) // out of patience at once: the call is left to the next life
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
			s = startIn(t, dir, o)
			s.ended(t, m.RunID)
			if types, err := s.Types(m.RunID); err != nil || !slices.Contains(types, "call.unknown") {
				t.Errorf("%v, %v", types, err)
			}
		})
	}
}

// hangsAfter is a tool that does its work and then hangs until it is told to stop.
type hangsAfter struct {
	*filewrite.Tool
	again bool // whether it may be run again
	wrote chan struct{}
}

func (h *hangsAfter) Definition() tool.Definition {
	d := h.Tool.Definition()
	d.Idempotent = h.again
	return d
}

func (h *hangsAfter) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	_, err := h.Tool.Run(ctx, p, args)
	h.wrote <- struct{}{}
	<-ctx.Done()
	return tool.Result{}, errors.Join(err, ctx.Err())
}

// TestLeft_marks: when a run of a former life ends, the files are marked that a call of it had written, one that the gate
// runs again and one that it does not. What a person wrote while a call was only asked about is not.
func TestLeft_marks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer wire.Verb // none: the call waits when the server ends
		again  bool      // whether the next life may run the call again
		want   int
	}{
		"asked": {again: true}, "started": {wire.AllowOnce, true, 1}, "started, and nobody knows": {wire.AllowOnce, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, tool := t.TempDir(), &hangsAfter{again: true, wrote: make(chan struct{}, 1)}
			data := filepath.Join(dir, "data")
			if err := os.MkdirAll(filepath.Join(data, "notes"), 0o750); err != nil {
				t.Fatal(err)
			}
			o := options{model: tails(), tools: func(dir string) ([]gate.Tool, error) {
				if err := os.MkdirAll(filepath.Join(dir, "state"), 0o700); err != nil {
					return nil, err
				}
				root, err := dataroot.Open(data, filepath.Join(dir, "state"))
				if err != nil {
					return nil, err
				}
				tool.Tool, err = filewrite.New(root, time.Now)
				return []gate.Tool{plainShell{data}, tool}, err
			}}
			s, err := open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			task := "fetch save:notes/human.md"
			if c.answer == "" {
				task = "fetch unknownbin+x"
			}
			m, a := s.asked(t, id(t), "it-admin", task)
			wantTainted(t, a)
			s.parked(t)
			if c.answer != "" {
				if err := s.Decide(gatetest.Answer(*a, c.answer)); err != nil {
					t.Fatal(err)
				}
				<-tool.wrote
			}
			s.stopStored(t, m)
			done, cancel := context.WithCancel(t.Context())
			cancel()
			s.Gate.Close(done) // out of patience at once: the call is left to the next life
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
			if c.answer == "" {
				if err := os.WriteFile(filepath.Join(data, "notes", "human.md"), []byte("ours"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tool.again = c.again
			s = startIn(t, dir, o)
			s.ended(t, m.RunID)
			if n := s.marked(t, "notes/human.md"); n != c.want {
				t.Errorf("%d marks", n)
			}
		})
	}
}

// TestLeft_marksOfGone: a mark is let go at a start when its file is gone, and has been marked so long ago that nothing of it
// can be put back; but not while the folder that it was in may not be mounted.
func TestLeft_marksOfGone(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), options{model: says("It is done.")}
	s, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "data", "unmounted"), 0o750), os.WriteFile(filepath.Join(dir, "data", "there.md"),
		nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	long := time.Now().AddDate(0, -2, 0)
	s.marks(t, "there.md", long)
	s.marks(t, "gone.md", long)
	s.marks(t, "unmounted/kept.md", long)
	s.marks(t, "unmounted/deep/kept.md", long)
	s.marks(t, "lately.md", time.Now())
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, dir, o)
	for file, want := range map[string]int{"there.md": 1, "gone.md": 0, "lately.md": 1, "unmounted/kept.md": 1, "unmounted/deep/kept.md": 1} {
		if n := s.marked(t, file); n != want {
			t.Errorf("%s has %d marks", file, n)
		}
	}
}

// marks notes a source behind a file.
func (s *server) marks(t *testing.T, file string, at time.Time) {
	t.Helper()
	err := s.DB.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO derived_files (path, source, ref, at) VALUES (?, 'a letter', 'l', ?)", file,
			at.UnixMicro())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// marked is how many sources are noted behind a file.
func (s *server) marked(t *testing.T, file string) (n int) {
	t.Helper()
	if err := s.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM derived_files WHERE path = ?", file).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
