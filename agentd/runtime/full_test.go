package runtime_test

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/store"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// fullDisk is a store that has no room while full is set.
type fullDisk struct {
	*store.DB
	full atomic.Bool
}

func (f *fullDisk) Write(ctx context.Context, fn func(*sql.Tx) error) error {
	if f.full.Load() {
		return store.ErrFull
	}
	return f.DB.Write(ctx, fn)
}

// With a full disk no message is taken and no tool starts; what was shown is kept as soon as there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ledger := &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}
	w, err := gatetest.Open(dir, time.Now, &gatetest.Fake{Name: "shell", Ledger: ledger})
	if err != nil {
		t.Fatal(err)
	}
	disk, seen := &fullDisk{DB: w.DB}, newWatch()
	agents := filepath.Join(dir, "agents")
	if err := team.Install(agents); err != nil {
		t.Fatal(err)
	}
	tm, err := team.Load(agents, w.Gate.Definitions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	m := once(doit("a", "green", "x", ""))
	inner := m.answer
	m.answer = func(ctx context.Context, o outgoing, text func(string)) (reply, error) {
		text("I am thinking about it ")
		disk.full.Store(true)
		close(asked)
		return inner(ctx, o, text)
	}
	rt, err := runtime.New(runtime.Deps{
		Store: disk, Model: m, Team: tm, Receipts: w.Log, Approvals: w.Gate, Emitter: seen, Config: func() wire.Config { return wire.Config{} },
		Root: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Start(context.Background(), gate.Doer(w.Gate)); err != nil {
		t.Fatal(err)
	}
	s := &server{World: w, rt: rt, watch: seen, ledger: ledger}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	first := message(t, id(t), "it-admin", "Go")
	s.post(t, first)
	<-asked
	e := seen.end(t, first.RunID)
	if d := data[wire.ErrorData](t, e); !strings.Contains(d.Title, "disk is full") || !strings.Contains(d.Detail, "Your message is kept") {
		t.Errorf("%+v", d)
	}
	if _, err := rt.Post(t.Context(), message(t, id(t), "it-admin", "Hello")); err == nil || !strings.Contains(err.Error(), "unavailable") {
		t.Errorf("a message was taken: %v", err)
	}
	if all, err := ledger.Effects(); err != nil || len(all) != 0 {
		t.Errorf("effects %v, %v", all, err)
	}
	disk.full.Store(false)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: first.RunID})
		if got.State == wire.RunFailed && got.Last == e.N && len(got.Items) == len(seen.events()) {
			return // all that was shown is there, without any repair
		}
		if time.Now().After(limit) {
			t.Fatalf("%+v, %d shown", got, len(seen.events()))
		}
	}
}
