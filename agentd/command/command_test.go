package command_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/command"
	"gatehouse/agentd/container"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// machine is a server with commands, a log of receipts, and an engine that counts what it is asked.
type machine struct {
	*command.Commands
	db  *store.DB
	key ed25519.PrivateKey

	mu       sync.Mutex
	now      time.Time
	acts     []string
	restarts int
	away     bool
	wipes    []wire.SignedCommand
	helper   error // what the helper's file says
}

func (m *machine) List(context.Context) ([]container.Container, error) {
	if m.away {
		return nil, container.ErrAway
	}
	return []container.Container{{ID: "1", Name: "shop", Image: "shop:1", State: "running"}}, nil
}

func (m *machine) did(what string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.acts = append(m.acts, what)
	return nil
}

func (m *machine) Start(_ context.Context, which string) error   { return m.did("start " + which) }
func (m *machine) Stop(_ context.Context, which string) error    { return m.did("stop " + which) }
func (m *machine) Restart(_ context.Context, which string) error { return m.did("restart " + which) }

func (m *machine) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func newMachine(t *testing.T, change ...func(*command.Deps)) *machine {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	storetest.Seed(t, dir)
	db, err := store.Open(dir, time.Now)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	m := &machine{db: db, key: key, now: t0}
	d := command.Deps{
		DB: db, Receipts: receipt.New(db, time.Now), Containers: m, ServerID: func() string { return "server" },
		Refresh: func(context.Context) (string, error) { return "Version 7 is in force.", m.did("refresh") },
		Restart: func() { m.mu.Lock(); m.restarts++; m.mu.Unlock() },
		Wipe: func(c wire.SignedCommand) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.wipes = append(m.wipes, c)
			return m.helper
		},
		Now: m.clock, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&d)
	}
	m.Commands = command.New(d)
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) pin(t *testing.T) {
	t.Helper()
	must(t, m.Pin(t.Context(), base64.RawURLEncoding.EncodeToString(m.key.Public().(ed25519.PublicKey)), "registration"))
}

// made is a command that is good now; change bends it before it is signed.
func (m *machine) made(t *testing.T, id string, verb wire.CommandVerb, change ...func(*wire.Command)) wire.SignedCommand {
	t.Helper()
	c := wire.Command{ID: id, ServerID: "server", Verb: verb, By: "clerk@example.com", From: t0, Until: t0.Add(2 * time.Minute)}
	if verb.OfContainer() {
		c.Container = "shop"
	}
	for _, f := range change {
		f(&c)
	}
	s, err := wire.SignCommand(c, m.key)
	must(t, err)
	return s
}

// ended takes a command and waits for its end.
func (m *machine) ended(t *testing.T, s wire.SignedCommand, id string) wire.CommandState {
	t.Helper()
	state, err := m.Take(t.Context(), s)
	must(t, err)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for state.State == wire.CommandRunning {
		select {
		case <-t.Context().Done():
			t.Fatal("the command does not end")
		case <-tick.C:
		}
		state, err = m.Get(t.Context(), wire.CommandParams{ID: id})
		must(t, err)
	}
	return state
}

// receipts are the types of all records, in their order.
func (m *machine) receipts(t *testing.T) (types []string) {
	t.Helper()
	rows, err := m.db.Read().QueryContext(t.Context(), "SELECT type FROM receipts ORDER BY seq")
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var one string
		must(t, rows.Scan(&one))
		types = append(types, one)
	}
	must(t, rows.Err())
	return types
}

// TestTake: each verb does its one thing once, on record before and after, and says how it went.
func TestTake(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	for id, c := range map[string]struct {
		verb wire.CommandVerb
		said string
		act  string
	}{
		"a": {wire.VerbRefresh, "Version 7", "refresh"}, "b": {wire.VerbContainers, "1 containers", ""},
		"c": {wire.VerbContainerStart, "Done", "start shop"}, "d": {wire.VerbContainerStop, "Done", "stop shop"},
		"e": {wire.VerbContainerRestart, "Done", "restart shop"},
	} {
		m.acts = nil
		s := m.made(t, id, c.verb)
		for range 2 { // a repeat changes nothing
			got := m.ended(t, s, id)
			if got.State != wire.CommandDone || !strings.Contains(got.Text, c.said) {
				t.Errorf("%s: %+v", c.verb, got)
			}
			if c.verb == wire.VerbContainers && (len(got.Containers) != 1 || got.Containers[0].Name != "shop") {
				t.Errorf("containers: %+v", got.Containers)
			}
		}
		if strings.Join(m.acts, ",") != c.act {
			t.Errorf("%s did %q", c.verb, m.acts)
		}
	}
	types := strings.Join(m.receipts(t), " ")
	if strings.Count(types, "command.accepted command.done") != 5 {
		t.Errorf("on record: %s", types)
	}
}

// TestTake_refuses: what is not signed by the pinned key, for this server, for now, and known is refused and on record, and
// nothing happens.
func TestTake_refuses(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	before := m.made(t, "unpinned", wire.VerbRestart)
	if got := m.ended(t, before, "unpinned"); got.State != wire.CommandRefused {
		t.Errorf("without a pinned key: %+v", got)
	}
	m.pin(t)
	forged := m.made(t, "forged", wire.VerbRestart)
	forged.Text = strings.Replace(forged.Text, "clerk", "boss!", 1)
	_, strange, err := ed25519.GenerateKey(nil)
	must(t, err)
	foreign, err := wire.SignCommand(wire.Command{
		ID: "foreign", ServerID: "server", Verb: wire.VerbRestart, From: t0, Until: t0.Add(time.Minute),
	}, strange)
	must(t, err)
	cases := map[string]wire.SignedCommand{
		"forged": forged, "another key": foreign,
		"another server": m.made(t, "1", wire.VerbRestart, func(c *wire.Command) { c.ServerID = "neighbor" }),
		"expired": m.made(t, "2", wire.VerbRestart, func(c *wire.Command) {
			c.From, c.Until = t0.Add(-5*time.Minute), t0.Add(-time.Second)
		}),
		"from the future": m.made(t, "3", wire.VerbRestart, func(c *wire.Command) {
			c.From, c.Until = t0.Add(5*time.Minute), t0.Add(6*time.Minute)
		}),
		"good for ever": m.made(t, "4", wire.VerbRestart, func(c *wire.Command) { c.Until = t0.Add(time.Hour) }),
		"unknown":       m.made(t, "5", "disk.wipe"),
		"no container":  m.made(t, "6", wire.VerbContainerStop, func(c *wire.Command) { c.Container = "" }),
		"no number":     m.made(t, "", wire.VerbRestart),
	}
	for what, s := range cases {
		if got, err := m.Take(t.Context(), s); err != nil || got.State != wire.CommandRefused || got.Text == "" {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	m.ended(t, m.made(t, "twice", wire.VerbRefresh), "twice")
	if got, err := m.Take(t.Context(), m.made(t, "twice", wire.VerbRestart)); err != nil || got.State != wire.CommandRefused {
		t.Errorf("another command of the same number: %+v, %v", got, err)
	}
	if m.restarts != 0 || strings.Join(m.acts, ",") != "refresh" {
		t.Errorf("%d restarts, %q", m.restarts, m.acts)
	}
	if n := strings.Count(strings.Join(m.receipts(t), " "), "command.refused"); n != len(cases)+2 {
		t.Errorf("%d refusals on record, want %d", n, len(cases)+2)
	}
}

// TestRestart: a restart is done when the next agentd says so; what else was underway broke off.
func TestRestart(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	got, err := m.Take(t.Context(), m.made(t, "r", wire.VerbRestart))
	if err != nil || got.State != wire.CommandRunning {
		t.Fatalf("%+v, %v", got, err)
	}
	must(t, m.Recover(t.Context()))
	if got, err := m.Get(t.Context(), wire.CommandParams{ID: "r"}); err != nil || got.State != wire.CommandDone {
		t.Errorf("after the restart: %+v, %v", got, err)
	}
	if got, err := m.Take(t.Context(), m.made(t, "r", wire.VerbRestart)); err != nil || got.State != wire.CommandDone {
		t.Errorf("sent again: %+v, %v", got, err)
	}
}

// TestTake_askedAgainLate: a command that was taken in time is answered with how it stands, also when its time is over since.
func TestTake_askedAgainLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	s := m.made(t, "r", wire.VerbRestart)
	if got, err := m.Take(t.Context(), s); err != nil || got.State != wire.CommandRunning {
		t.Fatalf("%+v, %v", got, err)
	}
	m.mu.Lock()
	m.now = t0.Add(time.Hour)
	m.mu.Unlock()
	if got, err := m.Take(t.Context(), s); err != nil || got.State != wire.CommandRunning || got.Text == "" {
		t.Errorf("while it runs: %+v, %v", got, err)
	}
	must(t, m.Recover(t.Context()))
	if got, err := m.Take(t.Context(), s); err != nil || got.State != wire.CommandDone {
		t.Errorf("after its end: %+v, %v", got, err)
	}
	if got, err := m.Take(t.Context(), m.made(t, "r", wire.VerbRefresh)); err != nil || got.State != wire.CommandRefused {
		t.Errorf("another command of that number: %+v, %v", got, err)
	}
	if types := strings.Join(m.receipts(t), " "); strings.Count(types, "command.refused") != 1 {
		t.Errorf("on record: %s", types)
	}
}

// TestEngineAway: without a container engine the answer says so, and nothing else fails.
func TestEngineAway(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	m.away = true
	got := m.ended(t, m.made(t, "l", wire.VerbContainers), "l")
	if got.State != wire.CommandFailed || !strings.Contains(got.Text, "container engine") {
		t.Errorf("%+v", got)
	}
}

// TestWipe: a wipe is on record before the helper gets the very command that the hub signed. One without a key that is let in
// afterwards is refused, and one that the helper cannot take has failed.
func TestWipe(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	with := func(c *wire.Command) { c.LetIn = "ssh-ed25519 AAAA" }
	if got := m.ended(t, m.made(t, "n", wire.VerbWipe), "n"); got.State != wire.CommandRefused || len(m.wipes) != 0 {
		t.Errorf("without a key: %+v, %d wipes", got, len(m.wipes))
	}
	m.helper = os.ErrPermission
	if got := m.ended(t, m.made(t, "f", wire.VerbWipe, with), "f"); got.State != wire.CommandFailed {
		t.Errorf("the helper is away: %+v", got)
	}
	m.mu.Lock()
	m.helper, m.wipes = nil, nil
	m.mu.Unlock()
	s := m.made(t, "w", wire.VerbWipe, with)
	if got, err := m.Take(t.Context(), s); err != nil || got.State != wire.CommandRunning {
		t.Fatalf("%+v, %v", got, err)
	}
	handed := func() []wire.SignedCommand { m.mu.Lock(); defer m.mu.Unlock(); return m.wipes }
	for len(handed()) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("the helper gets no command")
		}
		runtime.Gosched()
	}
	if got := handed(); len(got) != 1 || got[0] != s {
		t.Errorf("the helper got %+v", got)
	}
	if types := m.receipts(t); types[len(types)-1] != "command.accepted" {
		t.Errorf("on record: %v", types)
	}
}

// TestWipe_noHelper: a machine without the helper refuses at once, with the reason, instead of a wipe that never comes.
func TestWipe_noHelper(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(d *command.Deps) { d.Wipe = nil })
	m.pin(t)
	s := m.made(t, "w", wire.VerbWipe, func(c *wire.Command) { c.LetIn = "ssh-ed25519 AAAA" })
	got, err := m.Take(t.Context(), s)
	if err != nil || got.State != wire.CommandRefused || !strings.Contains(got.Text, "cannot wipe itself") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPin: the first key counts; another one is not taken.
func TestPin(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.pin(t)
	m.pin(t)
	other, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	if err := m.Pin(t.Context(), base64.RawURLEncoding.EncodeToString(other), "link"); err == nil {
		t.Error("a second key was pinned")
	}
	if got := m.ended(t, m.made(t, "x", wire.VerbRefresh), "x"); got.State != wire.CommandDone {
		t.Errorf("the pinned key signs: %+v", got)
	}
	if err := m.Pin(t.Context(), "", "link"); err != nil {
		t.Errorf("a hub without a key: %v", err)
	}
}
