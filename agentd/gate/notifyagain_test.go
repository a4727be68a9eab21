package gate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// heard is a listener that keeps the last it heard of the tool and of the approval.
type heard struct {
	tool     chan wire.ToolState
	approval chan wire.Approval
}

func (h heard) ToolChanged(_, _ string, d wire.ToolData) {
	select {
	case h.tool <- d.State:
	default:
	}
}

func (h heard) ApprovalChanged(a wire.Approval) {
	select {
	case h.approval <- a:
	default:
	}
}

// TestDo_toldAgain: a process that ended right after a question was asked may have taken with it what listeners had heard.
// They hear of it again in the next life, before anybody waits.
func TestDo_toldAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fake := &gatetest.Fake{Name: "act", Ledger: &gatetest.Ledger{Path: dir + "/ledger"}}
	w, err := gatetest.Open(dir, time.Now, fake)
	if err != nil {
		t.Fatal(err)
	}
	const run = "01900000-0000-7000-8000-0000000000a1"
	c := gate.Call{
		ID: "01900000-0000-7000-8000-0000000000c1", RunID: run, RootRunID: run, SessionID: run, Agent: "secretary",
		Tool: "act", Args: []byte(`{"tier":"red","key":"k"}`), Level: 2,
	}
	parks(t, w, c)
	if w, err = gatetest.Open(dir, time.Now, fake); err != nil {
		t.Fatal(err)
	}
	l := heard{make(chan wire.ToolState, 1), make(chan wire.Approval, 1)}
	w.Gate.Listen(l)
	parks(t, w, c)
	if len(l.tool) == 0 || len(l.approval) == 0 {
		t.Fatalf("told again of %d states and %d approvals", len(l.tool), len(l.approval))
	}
	if s, a := <-l.tool, <-l.approval; s != wire.ToolAsked || a.State != wire.ApprovalPending || a.CallID != c.ID {
		t.Errorf("told again: %s, %+v", s, a)
	}
}

// parks takes a call to its question and closes the world.
func parks(t *testing.T, w *gatetest.World, c gate.Call) {
	t.Helper()
	parked, done := make(chan bool, 2), make(chan error, 1)
	go func() {
		_, err := w.Gate.Do(context.Background(), c, func(waits bool) { parked <- waits })
		done <- err
	}()
	select {
	case <-parked:
	case err := <-done:
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, gate.ErrClosing) {
		t.Fatal(err)
	}
}
