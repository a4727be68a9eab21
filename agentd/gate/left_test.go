package gate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

func everyCall(gate.Call) bool { return true }

// started puts on record that a process has begun a call like c, which was done, and has not come to its end.
func (s *safe) started(c gate.Call) gate.Call {
	s.t.Helper()
	was := c.ID
	c.ID = id(s.t)
	err := s.DB.Write(s.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `INSERT INTO gate_calls
			(id, run_id, root_run_id, session_id, agent, tool, asked_hash, state, body, created_at)
			SELECT ?1, run_id, root_run_id, session_id, agent, tool, asked_hash, 'started',
			json_set(body, '$.Call.ID', ?1, '$.State', 'started'), created_at
			FROM gate_calls WHERE id = ?2`, c.ID, was)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// wantUnknown fails unless so many calls of a run have ended as unknown.
func (s *safe) wantUnknown(runID string, times int) {
	s.t.Helper()
	types, err := s.Types(runID)
	if err != nil {
		s.t.Fatal(err)
	}
	types = slices.DeleteFunc(types, func(kind string) bool { return kind != "call.unknown" })
	if len(types) != times {
		s.t.Errorf("%d calls ended as unknown, want %d", len(types), times)
	}
}

// TestLeft_meanwhile: a call that has ended since it was looked for stays as it ended.
func TestLeft_meanwhile(t *testing.T) {
	t.Parallel()
	began, goOn := make(chan struct{}), make(chan struct{})
	held := &gatetest.Fake{Name: "held", Ledger: &gatetest.Ledger{Path: filepath.Join(t.TempDir(), "ledger")}}
	held.Began = func(context.Context, gate.Permit, json.RawMessage) {
		close(began)
		<-goOn
	}
	b := open(t, held)
	c := b.call("held", "green", "")
	f := b.fly(c)
	<-began
	err := b.Gate.EndLeft(t.Context(), func(gate.Call) bool {
		close(goOn)
		b.wantState(f.end(t), wire.ToolDone)
		return true
	})
	if err != nil {
		t.Error(err)
	}
	if types, err := b.Types(c.RunID); err != nil || slices.Contains(types, "call.unknown") {
		t.Errorf("%v, %v", types, err)
	}
}

// firstFails is an outbox that cannot take the first alert.
type firstFails struct {
	gate.Outbox
	failed bool // only the writer of the store asks
}

func (o *firstFails) Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error {
	if t == wire.TypeAlert && !o.failed {
		o.failed = true
		return errors.New("on purpose")
	}
	return o.Outbox.Put(ctx, tx, t, body)
}

// TestLeft_oneFails: a call that had started and may not be made again ends as one of which nobody knows, and one that
// cannot be ended keeps none of the others open.
func TestLeft_oneFails(t *testing.T) {
	t.Parallel()
	s := openSafe(t, func(d *gate.Deps) { d.Outbox = &firstFails{Outbox: d.Outbox} })
	c := s.bench.call("act", "green", "")
	s.do(c)
	for range 3 {
		s.started(c)
	}
	if err := s.Gate.EndLeft(t.Context(), everyCall); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("it fails with %v", err)
	}
	s.wantUnknown(c.RunID, 2)
	if err := s.Gate.EndLeft(t.Context(), everyCall); err != nil {
		t.Error(err)
	}
	s.wantUnknown(c.RunID, 3)
}

// TestLeft_closing: that the process ends while some calls are left does not hide why others were not ended.
func TestLeft_closing(t *testing.T) {
	t.Parallel()
	s := openSafe(t, func(d *gate.Deps) { d.Outbox = &firstFails{Outbox: d.Outbox} })
	c := s.bench.call("act", "green", "")
	s.do(c)
	for range 2 {
		s.started(c)
	}
	asked := 0
	err := s.Gate.EndLeft(t.Context(), func(gate.Call) bool {
		if asked++; asked == 2 {
			s.Gate.Close(t.Context())
		}
		return true
	})
	if err == nil || !strings.Contains(err.Error(), "on purpose") || errors.Is(err, gate.ErrClosing) {
		t.Errorf("it fails with %v", err)
	}
	if err := s.Gate.EndLeft(t.Context(), everyCall); !errors.Is(err, gate.ErrClosing) {
		t.Errorf("closed, it answers %v", err)
	}
}

// again is a reacher whose calls may be made a second time.
type again struct{ reacher }

func (a *again) Definition() tool.Definition {
	d := a.reacher.Definition()
	d.Name, d.Idempotent = "again", true
	return d
}

// faultyListener has a fault when it hears that a call runs.
type faultyListener struct{ gate.Listener }

func (faultyListener) ToolChanged(_, _ string, d wire.ToolData) {
	if d.State == wire.ToolRunning {
		panic("on purpose")
	}
}

// TestLeft_counts: what may have gone out counts as if it had, however nobody came to know of it.
func TestLeft_counts(t *testing.T) {
	t.Parallel()
	ends := func(s *safe) error { return s.Gate.EndLeft(s.t.Context(), everyCall) }
	for name, tc := range map[string]struct {
		tool string
		left func(s *safe, done gate.Call) error
	}{
		"nobody comes back": {"reach", func(s *safe, done gate.Call) error {
			s.started(done)
			return ends(s)
		}},
		"nobody comes back to what may be made again": {"again", func(s *safe, done gate.Call) error {
			s.started(done)
			return ends(s)
		}},
		"the process ended": {"reach", func(s *safe, done gate.Call) error {
			s.started(done)
			s.restart()
			return nil
		}},
		"a fault": {"reach", func(s *safe, done gate.Call) error {
			s.Gate.Listen(faultyListener{})
			done.ID = id(s.t)
			s.wantState(s.do(done), wire.ToolUnknown)
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scan := &scanner{}
			s := openSafe(t, nil)
			s.with, s.tools = func(d *gate.Deps) { d.Outgoing = scan }, append(s.tools, &again{reacher{s.ledger}})
			s.restart()
			s.configure(wire.Config{Version: 1, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"secretary": {Unlocked: []string{
				"reach",
				"again",
			}}}})
			c := s.reach("", reach{Tier: "yellow_external", To: "a@b.example"})
			c.Tool = tc.tool
			s.wantState(s.do(c), wire.ToolDone)
			if err := tc.left(s, c); err != nil {
				t.Fatal(err)
			}
			s.wantUnknown(c.RunID, 1)
			scan.mu.Lock()
			defer scan.mu.Unlock()
			if got := strings.Join(scan.left, " "); got != "a@b.example a@b.example" {
				t.Errorf("left: %q", got)
			}
		})
	}
}

// lender grants whatever is asked for, and lets the test do what it likes when a call is looked at.
type lender struct {
	faults
	look func(ctx context.Context) error
}

func (l *lender) Check(ctx context.Context, _ []gate.Use) error { return l.look(ctx) }
func (l *lender) Grant(context.Context, *sql.Tx, gate.Call, []gate.Use) ([]gate.Lease, error) {
	return nil, nil
}

// TestLeft_lentAgain: a call that is made again, and is stopped while it is looked at whether it may have its secrets, ends.
func TestLeft_lentAgain(t *testing.T) {
	t.Parallel()
	l := &lender{look: func(context.Context) error { return nil }}
	s := openSafe(t, func(d *gate.Deps) { d.Leases = l })
	if err := s.Gate.Add(&borrower{gatetest.Fake{Name: "borrower", Once: true, Ledger: s.ledger}}); err != nil {
		t.Fatal(err)
	}
	c := s.bench.call("borrower", "green", "")
	s.wantState(s.do(c), wire.ToolDone)
	c = s.started(c)
	ctx, stop := context.WithCancel(t.Context())
	l.look = func(ctx context.Context) error {
		stop()
		return ctx.Err()
	}
	out, err := s.Gate.Do(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.wantState(out, wire.ToolUnknown)
}

// slowMeasure is a fake that looks at the world until it is told to stop.
type slowMeasure struct {
	gatetest.Fake
	began chan struct{}
}

func (m *slowMeasure) Measure(ctx context.Context, _ json.RawMessage) (gate.Measured, error) {
	close(m.began)
	<-ctx.Done()
	return gate.Measured{}, ctx.Err()
}

// TestStopped_quiet: a call that is stopped while its tool looks at the world is no fault of the tool.
func TestStopped_quiet(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	s := openSafe(t, func(d *gate.Deps) { d.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	m := &slowMeasure{gatetest.Fake{Name: "measures", Ledger: s.ledger}, make(chan struct{})}
	if err := s.Gate.Add(m); err != nil {
		t.Fatal(err)
	}
	f := s.fly(s.bench.call("measures", "green", ""))
	<-m.began
	f.stop()
	s.wantState(f.end(t), wire.ToolStopped)
	if said.Len() > 0 {
		t.Error(said.String())
	}
}
