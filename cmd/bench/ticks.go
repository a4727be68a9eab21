package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

func scheduleTicks() Figure {
	return Figure{
		Name: "schedule_ticks_100k_s", Unit: "s", Goal: 60, Once: true, Take: takeTicks,
		How: "100,000 ticks of 21 schedules over a simulated year, each with its verdict as a row and a receipt, durable, while the " +
			"schedules are closed and opened again at random and sleep up to two days, in this process",
	}
}

// year is a server whose clock is set by the bench.
type year struct {
	*schedule.Schedules
	dir  string
	db   *store.DB
	log  *receipt.Log
	time time.Time
}

func (y *year) now() time.Time { return y.time }

// open opens or reopens the state.
func (y *year) open() (err error) {
	if y.db, err = store.Open(y.dir, y.now); err != nil {
		return err
	}
	y.log = receipt.New(y.db, y.now)
	y.Schedules = schedule.New(schedule.Deps{
		DB: y.db, Receipts: y.log, Runs: briefRuns{}, Now: y.now, Log: slog.New(slog.DiscardHandler),
		HasAgent: func(string) bool { return true }, Paused: func(string) *wire.AgentPause { return nil },
		Config: func() wire.Config { return wire.Config{DefaultLevel: 2, TimeZone: "UTC"} },
	})
	return y.db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "CREATE TABLE IF NOT EXISTS bench_runs (id TEXT PRIMARY KEY) STRICT")
		return err
	})
}

// briefRuns are runs that end as soon as they are looked at.
type briefRuns struct{}

// Begin implements schedule.Runs.
func (briefRuns) Begin(tx *sql.Tx, s schedule.Start) error {
	_, err := tx.ExecContext(context.Background(), "INSERT INTO bench_runs (id) VALUES (?)", s.RunID)
	return err
}

// Outcome implements schedule.Runs.
func (briefRuns) Outcome(*sql.Tx, string) (schedule.Outcome, error) {
	return schedule.Outcome{State: wire.RunDone}, nil
}

// takeTicks lives through a year, and compares the verdicts with the ticks that there were.
func takeTicks(ctx context.Context, s *Stage) (run Run, err error) {
	y := &year{time: time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)}
	if y.dir, err = os.MkdirTemp(s.dir, "ticks-"); err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(y.dir)) }()
	if err := y.open(); err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, y.db.Close()) }()
	until := y.time.AddDate(1, 0, 0)
	if s.bench.quick {
		until = y.time.AddDate(0, 0, 7)
	}
	made, err := y.plan(ctx)
	if err != nil {
		return Run{}, err
	}
	from, begun := y.time, time.Now()
	opened, err := y.live(ctx, until)
	took := time.Since(begun)
	if err != nil {
		return Run{}, err
	}
	n, err := y.compare(ctx, made, from)
	note := fmt.Sprintf("verdicts = ticks, none doubled; opened again %d times", opened)
	return Run{Value: took.Seconds(), N: n, Note: note}, errors.Join(err, y.log.Check(ctx))
}

// plan makes eleven schedules that are due each hour, and ten that are due each day in zones whose clocks change.
func (y *year) plan(ctx context.Context) (made []wire.Schedule, err error) {
	zones := []string{"Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "UTC"}
	for i := range 21 {
		c := wire.ScheduleCreate{ID: newID(), Agent: "it-admin", Task: "Look at the disk", Spec: "1h"}
		if i > 10 {
			c.Spec, c.TimeZone = fmt.Sprintf("30 %d * * *", i-10), zones[i%len(zones)]
		}
		one, err := y.Create(ctx, c, schedule.Behind{})
		if err != nil {
			return nil, err
		}
		made = append(made, one)
	}
	return made, nil
}

// live goes from tick to tick until a moment, and counts how often it was opened again.
func (y *year) live(ctx context.Context, until time.Time) (opened int, err error) {
	dice := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same restarts each time
	for y.time.Before(until) {
		next, err := y.Pass(ctx)
		if err != nil {
			return opened, err
		}
		if dice.IntN(300) > 0 {
			y.time = next.Add(time.Duration(dice.IntN(20)) * time.Second)
			continue
		}
		opened++
		if err := y.db.Close(); err != nil {
			return opened, err
		}
		if dice.IntN(8) == 0 {
			next = next.Add(time.Duration(dice.IntN(48)) * time.Hour)
		}
		y.time = next
		if err := y.open(); err != nil {
			return opened, err
		}
	}
	_, err = y.Pass(ctx)
	return opened, err
}

// compare fails unless each tick has exactly one verdict, and each verdict that says so one run.
func (y *year) compare(ctx context.Context, made []wire.Schedule, from time.Time) (n int, err error) {
	for _, m := range made {
		zone, err := time.LoadLocation(m.TimeZone)
		if err != nil {
			return n, err
		}
		rule, err := due.Parse(m.Kind, m.Spec, zone, from.Truncate(time.Second))
		if err != nil {
			return n, err
		}
		now, err := y.Get(ctx, wire.ScheduleParams{ID: m.ID})
		if err != nil {
			return n, err
		}
		ticks, _ := rule.Between(from, now.Next, 1_000_000)
		var verdicts, distinct int
		err = y.db.Read().QueryRowContext(ctx, "SELECT count(*), count(DISTINCT due) FROM schedule_ticks WHERE schedule = ?", m.ID).
			Scan(&verdicts, &distinct)
		if err != nil {
			return n, err
		}
		if n += verdicts; verdicts != len(ticks) || distinct != verdicts {
			return n, fmt.Errorf("%s: %d ticks, %d verdicts, %d of them distinct", m.Spec, len(ticks), verdicts, distinct)
		}
	}
	var runs, begun int
	err = y.db.Read().QueryRowContext(ctx, `SELECT (SELECT count(*) FROM bench_runs),
		(SELECT count(*) FROM schedule_ticks WHERE verdict IN ('ran', 'caught_up'))`).Scan(&runs, &begun)
	if err == nil && runs != begun {
		err = fmt.Errorf("%d runs for %d verdicts that say so", runs, begun)
	}
	return n, err
}
