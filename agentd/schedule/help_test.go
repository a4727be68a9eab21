package schedule_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// world is the schedules of a server on a real store, with a clock that tests set.
type world struct {
	*schedule.Schedules
	db   *store.DB
	log  *receipt.Log
	runs *runs
	eye  eye

	mu   sync.Mutex
	time time.Time
	cfg  wire.Config
	then func()          // after the configuration was looked at
	gone map[string]bool // agents that are not in the team

	paused *wire.AgentPause // every agent
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time
}

// runs keeps what was begun in a table beside those of the schedules, so that it is as durable as they are.
type runs struct {
	db     *store.DB
	refuse map[string]bool // conversations that were deleted
	before func(what string)
	spent  bool // what fails, fails because a budget is used up
	last   schedule.Start
}

func (r *runs) Begin(tx *sql.Tx, s schedule.Start) error {
	r.before("begin")
	if r.refuse[s.Session] {
		return &wire.RPCError{Code: "not_found", Text: "This conversation was deleted."}
	}
	_, err := tx.ExecContext(context.Background(), "INSERT INTO test_runs (id, session, task, state) VALUES (?,?,?,'running')",
		s.RunID, s.Session, s.Task)
	r.last = s
	r.before("begun")
	return err
}

func (r *runs) Outcome(tx *sql.Tx, id string) (schedule.Outcome, error) {
	var o schedule.Outcome
	err := tx.QueryRowContext(context.Background(), "SELECT state, changed FROM test_runs WHERE id = ?", id).Scan(&o.State, &o.Changed)
	if errors.Is(err, sql.ErrNoRows) {
		return schedule.Outcome{}, nil
	}
	o.Parked, o.Paused, o.Why = o.State == wire.RunParked, r.spent && o.State == wire.RunFailed, "the model did not answer"
	return o, err
}

// eye gives what a tool would.
type eye struct {
	text, why string
	writes    bool
	looks     int
	before    func(what string)
	last      schedule.Look
}

func (e *eye) Reads(tool string, _ json.RawMessage) bool { return tool == "shell" && !e.writes }

func (e *eye) Look(_ context.Context, l schedule.Look) (text, why string, err error) {
	e.before("look")
	defer e.before("looked")
	e.looks++
	e.last = l
	return e.text, e.why, nil
}

func (w *world) config() wire.Config {
	cfg := w.cfg
	if w.then != nil {
		w.then()
	}
	return cfg
}

// logged is the log, which says before it writes.
type logged struct {
	*receipt.Log
	before func(what string)
}

func (l logged) Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error) {
	l.before("receipt")
	defer l.before("receipted")
	return l.Log.Append(tx, e)
}

// open opens or reopens the schedules in dir. before is called at the points at which a process may die.
func open(dir string, at time.Time, before func(what string)) (*world, error) {
	w := &world{time: at, gone: map[string]bool{}, cfg: wire.Config{DefaultLevel: 2, TimeZone: "Europe/Vienna"}}
	db, err := store.Open(filepath.Join(dir, "state"), w.now)
	if err != nil {
		return nil, err
	}
	err = db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `CREATE TABLE IF NOT EXISTS test_runs (id TEXT PRIMARY KEY, session TEXT, task TEXT,
			state TEXT, changed INTEGER NOT NULL DEFAULT 0)`)
		return err
	})
	w.db, w.log, w.runs = db, receipt.New(db, w.now), &runs{db: db, refuse: map[string]bool{}, before: before}
	w.eye.before = before
	w.Schedules = schedule.New(schedule.Deps{
		DB: db, Receipts: logged{w.log, before}, Runs: w.runs, Now: w.now, Log: slog.New(slog.DiscardHandler),
		HasAgent: func(id string) bool { return !w.gone[id] && id != "nobody" }, Config: w.config,
		Look: &w.eye, Paused: func(string) *wire.AgentPause { return w.paused },
	})
	return w, err
}

// monday is a quarter to eight on a Monday morning in Vienna.
var monday = time.Date(2026, 11, 30, 6, 45, 0, 0, time.UTC)

func start(t testing.TB) *world {
	t.Helper()
	return startIn(t, t.TempDir(), monday)
}

func startIn(t testing.TB, dir string, at time.Time) *world {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := open(dir, at, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func newID(t testing.TB) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

var owner = wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal"}

// ask asks as a page does.
func ask[T any](t testing.TB, w *world, m wire.Method, params any) T {
	t.Helper()
	out, err := try[T](w, m, params)
	if err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	return out
}

func try[T any](w *world, m wire.Method, params any) (out T, err error) {
	b, err := json.Marshal(params)
	if err != nil {
		return out, err
	}
	v, err := w.Methods().Answer(context.Background(), m, b)
	if err != nil {
		return out, err
	}
	out, ok := v.(T)
	if !ok {
		return out, fmt.Errorf("%s answers %T", m, v)
	}
	return out, nil
}

// plan makes a schedule.
func (w *world) plan(t testing.TB, kind wire.ScheduleKind, spec string, with func(*wire.ScheduleCreate)) wire.Schedule {
	t.Helper()
	c := wire.ScheduleCreate{ID: newID(t), Agent: "it-admin", Kind: kind, Spec: spec, Task: "Look at the disk", By: owner}
	if with != nil {
		with(&c)
	}
	return ask[wire.Schedule](t, w, wire.MethodScheduleCreate, c)
}

// at sets the clock, and has it looked for what is due.
func (w *world) at(t testing.TB, now time.Time) (next time.Time) {
	t.Helper()
	w.mu.Lock()
	w.time = now
	w.mu.Unlock()
	next, err := w.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// end ends the run that is at work.
func (w *world) end(t testing.TB, state wire.RunState, changed bool) {
	t.Helper()
	err := w.db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "UPDATE test_runs SET state = ?, changed = ? WHERE state IN ('running', "+
			"'parked')", state, changed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// history is what became of the ticks, oldest first: due time and verdict, and the outcome where there is a run.
func (w *world) history(t testing.TB, id string) []string {
	t.Helper()
	var all []string
	for after := ""; ; {
		page := ask[wire.ScheduleTicks](t, w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: id, After: after})
		for _, k := range page.Items {
			line := k.Due.UTC().Format("Mon 15:04") + " " + string(k.Verdict)
			if k.Outcome != "" {
				line += " " + string(k.Outcome)
			}
			all = append([]string{line}, all...)
		}
		if after = page.Next; after == "" {
			return all
		}
	}
}

// count is how many runs were begun.
func (w *world) count(t testing.TB) (n int) {
	t.Helper()
	if err := w.db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM test_runs").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// receipts are the types of the records of a schedule.
func (w *world) receipts(t testing.TB, id string) (all []string) {
	t.Helper()
	rows, err := w.db.Read().QueryContext(t.Context(), "SELECT type FROM receipts WHERE body LIKE ? ORDER BY seq", "%"+id+"%")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind string
		if err := rows.Scan(&kind); err != nil {
			t.Fatal(err)
		}
		all = append(all, kind)
	}
	return all
}
