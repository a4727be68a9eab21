package gate_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// forLong is as long as a test waits for what must happen, on a machine that is busy with other things too.
const forLong = time.Minute

// TestMain keeps the random walks short; GATEHOUSE_SOAK=1 makes them long.
func TestMain(m *testing.M) {
	checks := "15"
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		checks = "1000"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a world with the two usual fakes: act may run once only, write may be repeated.
type bench struct {
	*gatetest.World
	t      *testing.T
	dir    string
	clock  *clock
	ledger *gatetest.Ledger
	tools  []gate.Tool
}

func open(t *testing.T, more ...gate.Tool) *bench {
	t.Helper()
	dir := t.TempDir()
	l := &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}
	b := &bench{t: t, dir: dir, clock: newClock(), ledger: l}
	b.tools = append([]gate.Tool{&gatetest.Fake{Name: "act", Ledger: l}, &gatetest.Fake{Name: "write", Once: true, Ledger: l}}, more...)
	b.start()
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// seed gives it a database, except where the disk is full: there the log has to be the largest file, which it is when the
// database was made in it.
func (b *bench) seed() {
	b.t.Helper()
	if os.Getenv(inLimit) == "" {
		storetest.Seed(b.t, filepath.Join(b.dir, "state"))
	}
}

func (b *bench) start() {
	b.t.Helper()
	b.seed()
	w, err := gatetest.Open(b.dir, b.clock.now, b.tools...)
	if err != nil {
		b.t.Fatal(err)
	}
	b.World = w
}

// restart closes and reopens the world, as a restart of agentd does.
func (b *bench) restart() {
	b.t.Helper()
	if err := b.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.start()
}

func id(t testing.TB) string {
	t.Helper()
	u, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// call makes a call of agent "secretary" in a run of its own.
func (b *bench) call(tool, tier, mode string) gate.Call {
	b.t.Helper()
	run := id(b.t)
	args, err := json.Marshal(gatetest.Args{Tier: tier, Key: "k-" + run[len(run)-6:], Mode: mode})
	if err != nil {
		b.t.Fatal(err)
	}
	return gate.Call{
		ID: id(b.t), RunID: run, RootRunID: run, SessionID: id(b.t), Agent: "secretary", Tool: tool, Args: args,
		Reason: "because", Level: 2,
	}
}

// do runs a call that must not wait for anyone.
func (b *bench) do(c gate.Call) gate.Outcome {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), forLong)
	defer cancel()
	out, err := b.Gate.Do(ctx, c, func(bool) { b.t.Errorf("call %s waits for a person", c.Tool) })
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// flight is a Do that goes on in the background.
type flight struct {
	out  gate.Outcome
	err  error
	done chan struct{}
	stop context.CancelFunc
}

// ask starts a call that must wait, and returns its approval.
func (b *bench) ask(c gate.Call) (*flight, wire.Approval) {
	b.t.Helper()
	f := b.fly(c)
	select {
	case <-f.done:
		b.t.Fatalf("call ended as %q without asking: %s %v", f.out.State, f.out.Text, f.err)
	case <-f.parked:
	case <-time.After(forLong):
		b.t.Fatal("call neither asked nor ended")
	}
	open, err := b.Pending(c.RunID)
	if err != nil || len(open) != 1 {
		b.t.Fatalf("pending approvals: %d, %v", len(open), err)
	}
	return f.flight, open[0]
}

type parkedFlight struct {
	*flight
	parked chan struct{}
}

func (b *bench) fly(c gate.Call) parkedFlight {
	ctx, stop := context.WithCancel(context.Background())
	f := &flight{done: make(chan struct{}), stop: stop}
	parked, once := make(chan struct{}), sync.Once{}
	w := b.World
	go func() {
		defer close(f.done)
		f.out, f.err = w.Gate.Do(ctx, c, func(waits bool) {
			if waits {
				once.Do(func() { close(parked) })
			}
		})
	}()
	b.t.Cleanup(stop)
	return parkedFlight{f, parked}
}

// end waits for the outcome.
func (f *flight) end(t *testing.T) gate.Outcome {
	t.Helper()
	select {
	case <-f.done:
	case <-time.After(forLong):
		t.Fatal("call did not end")
	}
	if f.err != nil {
		t.Fatal(f.err)
	}
	return f.out
}

func (b *bench) decide(d wire.Decision) {
	b.t.Helper()
	if err := b.Decide(d); err != nil {
		b.t.Fatal(err)
	}
}

// wantRan fails unless the ledger shows the call that often.
func (b *bench) wantRan(callID string, times int) {
	b.t.Helper()
	all, err := b.ledger.Effects()
	if err != nil {
		b.t.Fatal(err)
	}
	n := 0
	for _, e := range all {
		if e.CallID == callID {
			n++
		}
	}
	if n != times {
		b.t.Errorf("call ran %d times, want %d", n, times)
	}
}

func (b *bench) wantTypes(runID string, want ...string) {
	b.t.Helper()
	got, err := b.Types(runID)
	if err != nil {
		b.t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("receipts %v, want %v", got, want)
	}
}

func (b *bench) wantState(out gate.Outcome, s wire.ToolState) {
	b.t.Helper()
	if out.State != s {
		b.t.Errorf("state %q, want %q (%s)", out.State, s, out.Text)
	}
}

// body reads the body of the newest receipt of a type in a run.
func (b *bench) body(runID, kind string) map[string]any {
	b.t.Helper()
	all, err := b.Log.OfRuns(b.t.Context(), runID)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range slices.Backward(all) {
		if r.Type == kind {
			m := map[string]any{}
			if err := json.Unmarshal(r.Body, &m); err != nil {
				b.t.Fatal(err)
			}
			return m
		}
	}
	b.t.Fatalf("no receipt %s", kind)
	return nil
}

func (b *bench) approval(id string) wire.Approval {
	b.t.Helper()
	a, err := b.Gate.Approval(b.t.Context(), id)
	if err != nil || a == nil {
		b.t.Fatalf("approval %s: %v", id, err)
	}
	return *a
}

func (b *bench) configure(cfg wire.Config) {
	b.t.Helper()
	if cfg.DefaultLevel == 0 {
		cfg.DefaultLevel = 2
	}
	if err := b.Config.Adopt(b.t.Context(), cfg); err != nil {
		b.t.Fatal(err)
	}
	if got := b.Config.State().Version(); got != cfg.Version {
		b.t.Fatalf("version %d in force, want %d", got, cfg.Version)
	}
}
