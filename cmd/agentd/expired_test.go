package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/wire"
)

// moved is an agentd in this process whose clock a test can move: the clock of a process of its own cannot be.
type moved struct {
	*server
	ahead atomic.Int64 // nanoseconds
}

func (m *moved) now() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) }

// start runs the daemon until stop.
func (m *moved) start() (stop func()) {
	m.t.Helper()
	d, err := agentd.New(m.t.Context(), agentd.Config{
		State: m.state, Data: m.data, Hub: m.hub.srv.URL, TokenFile: m.token(), Demo: true, MetricsAddr: "127.0.0.1:0", Version: "test",
	}, agentd.Deps{Now: m.now, Log: slog.New(slog.NewJSONHandler(m.log, nil))})
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(m.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	m.hub.linked()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			m.t.Error(err)
		}
		m.hub.until("the link to end", func([]wire.Frame) bool { return m.hub.conn == nil })
	}
}

// TestAgentd_expiredWhileAway: an approval runs out while agentd is away, and a decision from before waits for it. By
// its own clock it is too late: nothing runs, the run goes on and ends, and both are on record.
func TestAgentd_expiredWhileAway(t *testing.T) {
	t.Parallel()
	h, dir := newHub(t), t.TempDir()
	m := &moved{server: &server{t: t, hub: h, dir: dir, state: filepath.Join(dir, "state"), data: filepath.Join(dir, "data"), log: &logBuffer{}}}
	if err := os.MkdirAll(m.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.token(), []byte("gth_once\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := m.start()
	h.linked()
	h.owns(m.server)
	root := h.say("Delete the old temporary files")
	a := h.asked(root)
	before := temps(t, m.server)
	stop()
	h.decide(a, wire.AllowOnce, nil)
	m.ahead.Store(int64(25 * time.Hour))
	stop = m.start()
	run := h.ended(root)
	update := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == a.ID && u.State != wire.ApprovalPending })
	h.acknowledged() // the run may end before the decision is looked at
	stop()
	if run.State != wire.RunDone || update.State != wire.ApprovalExpired {
		t.Errorf("the run is %s, the approval %s", run.State, update.State)
	}
	if now := temps(t, m.server); now != before || before == 0 {
		t.Errorf("%d of %d files are left", now, before)
	}
	types := m.receipts(t, a.RunID)
	if !slices.Contains(types, "call.expired") || !slices.Contains(types, "approval.refused") || strings.Contains(strings.Join(types, " "), "call.approved") {
		t.Errorf("receipts: %v", types)
	}
}
