package runtime_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// stopStored keeps a stop for the next life of the server, which ends here.
func (s *server) stopStored(t *testing.T, m wire.ChatMessage) {
	t.Helper()
	err := s.DB.Write(t.Context(), func(tx *sql.Tx) error { return s.rt.ApplyCancel(tx, wire.RunCancel{RunID: m.RunID, By: owner}) })
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
			o := options{once: true, model: once(doit("a", "green", "x", "hangs")), began: func(context.Context, gate.Permit, json.RawMessage) { began <- struct{}{} }}
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
