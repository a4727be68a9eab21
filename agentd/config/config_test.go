package config_test

import (
	"context"
	"database/sql"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/agentd/config"
	"gatehouse/agentd/receipt"
	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// TestMain keeps the random walks short; GATEHOUSE_SOAK=1 makes them long.
func TestMain(m *testing.M) {
	checks := "20"
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		checks = "1000"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

type outbox struct {
	mu     sync.Mutex
	sent   []wire.ConfigState
	alerts []wire.Alert
}

func (o *outbox) Put(_ context.Context, _ *sql.Tx, t wire.Type, body any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch b := body.(type) {
	case wire.ConfigState:
		o.sent = append(o.sent, b)
	case wire.Alert:
		o.alerts = append(o.alerts, b)
	}
	return nil
}

type world struct {
	*config.Live
	db  *store.DB
	out *outbox
	dir string
}

func open(t testing.TB, dir string) *world {
	t.Helper()
	storetest.Seed(t, dir)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // some tests close it themselves
	out := &outbox{}
	l, err := config.Open(t.Context(), db, receipt.New(db, time.Now), out, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return &world{l, db, out, dir}
}

func (w *world) apply(t interface{ Fatal(...any) }, cfg wire.Config) wire.ConfigState {
	if err := w.Adopt(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	return w.out.sent[len(w.out.sent)-1]
}

func TestApply(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	if s := w.State(); s.Version() != 0 || s.Level("anyone") != 2 || s.Unlocked("anyone", "message") || s.Has("a@example.com") {
		t.Errorf("before the first version: %+v", s)
	}
	heard := 0
	w.Subscribe(func(config.State) { heard++ })
	cfg := wire.Config{Version: 4, DefaultLevel: 3, Inside: []string{"Owner@Example.com"}, Agents: map[string]wire.AgentConfig{
		"secretary": {Level: 1, Unlocked: []string{"message"}}, "it-admin": {Off: true},
	}}
	if got := w.apply(t, cfg); got != (wire.ConfigState{Version: 4}) {
		t.Errorf("reported %+v", got)
	}
	for _, version := range []int64{4, 3, 0, -1} {
		older := wire.Config{Version: version, DefaultLevel: 1}
		if got := w.apply(t, older); got != (wire.ConfigState{Version: 4}) {
			t.Errorf("version %d reported %+v", version, got)
		}
	}
	for _, version := range []int64{math.MaxInt64, 4 + 1_000_001} {
		if got := w.apply(t, wire.Config{Version: version, DefaultLevel: 1}); got.Version != 4 || !strings.Contains(got.Error, "too far ahead") {
			t.Errorf("version %d reported %+v", version, got)
		}
	}
	bad := wire.Config{Version: 5, DefaultLevel: 9, TimeZone: "Nowhere/Land", Inside: []string{"a@b, c@d"}, Agents: map[string]wire.AgentConfig{"x": {Level: 7}}}
	got := w.apply(t, bad)
	for _, part := range []string{"default level", "time zone", "plain address", "level of x"} {
		if got.Version != 4 || !strings.Contains(got.Error, part) {
			t.Errorf("reported %+v, which does not tell of the %s", got, part)
		}
	}
	if heard != 1 {
		t.Errorf("listeners heard %d versions", heard)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, open(t, w.dir).State()) // what was applied survives a restart
}

func check(t *testing.T, s config.State) {
	t.Helper()
	if s.Version() != 4 || s.Level("secretary") != 1 || s.Inherited("secretary") || s.Level("dispatcher") != 3 || !s.Inherited("dispatcher") {
		t.Errorf("levels of %+v", s)
	}
	if !s.Unlocked("secretary", "message") || s.Unlocked("dispatcher", "message") || s.Unlocked("secretary", "shell") || !s.Off("it-admin") || s.Off("secretary") {
		t.Errorf("powers of %+v", s)
	}
	for addr, inside := range map[string]bool{
		"owner@example.com": true, "OWNER@EXAMPLE.COM": true, "ｏｗｎｅｒ@example.com": true,
		"owner@example.com.evil.example": false, "owner@examp1e.com": false, "": false, "owner": false, "оwner@example.com": false,
	} {
		if s.Has(addr) != inside {
			t.Errorf("%q inside: %v", addr, !inside)
		}
	}
}

// TestApply_onlyUpward delivers versions in any order, several at once, with repeats: what is in force never goes
// back, and ends at the highest.
func TestApply_onlyUpward(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		w := open(t, filepath.Join(dir, string(rune('a'+n%26))+strings.Repeat("x", n/26)))
		defer func() { _ = w.db.Close() }()
		var last, high int64
		w.Subscribe(func(s config.State) {
			if s.Version() <= last {
				r.Errorf("version %d came into force after %d", s.Version(), last)
			}
			last = s.Version()
		})
		for range rapid.IntRange(1, 12).Draw(r, "deliveries") {
			v := rapid.Int64Range(1, 8).Draw(r, "version")
			high = max(high, v)
			w.apply(r, wire.Config{Version: v, DefaultLevel: int(v%3) + 1})
			if s := w.State(); s.Version() != high || s.Level("any") != int(high%3)+1 {
				r.Fatalf("version %d in force, want %d", s.Version(), high)
			}
		}
	})
}
