package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/job"
	"gatehouse/app/page"
)

// JobDesk changes jobs and queues in a transaction; jobs.Queue does.
type JobDesk interface {
	RetryTx(ctx context.Context, tx pgx.Tx, id int64) error
	CancelTx(ctx context.Context, tx pgx.Tx, id int64) error
	PauseTx(ctx context.Context, tx pgx.Tx, queue string, paused bool) error
}

// RiverJobs reads the tables of the queue. It is job.Store.
type RiverJobs struct {
	DB   *DB
	Desk JobDesk
}

var _ job.Store = (*RiverJobs)(nil)

// riverRow mirrors what our staff see of table river_job, which is River's.
type riverRow struct {
	bun.BaseModel `bun:"table:river_job,alias:j"`
	ID            int64           `bun:"id,pk"`
	Queue         string          `bun:"queue"`
	Kind          string          `bun:"kind"`
	State         string          `bun:"state"`
	Args          json.RawMessage `bun:"args,type:jsonb"`
	Attempt       int             `bun:"attempt"`
	MaxAttempts   int             `bun:"max_attempts"`
	CreatedAt     time.Time       `bun:"created_at"`
	AttemptedAt   time.Time       `bun:"attempted_at,nullzero"`
	ScheduledAt   time.Time       `bun:"scheduled_at"`
	FinalizedAt   time.Time       `bun:"finalized_at,nullzero"`
	Stopping      bool            `bun:"stopping"`
	Errors        json.RawMessage `bun:"failures"`
}

// riverColumns are read instead of a model's: the state is an enum, and errors are an array of jsonb.
const riverColumns = `j.id, j.queue, j.kind, j.state::text AS state, j.args, j.attempt, j.max_attempts, j.created_at, j.attempted_at,
	j.scheduled_at, j.finalized_at, j.state = 'running' AND jsonb_exists(j.metadata, 'cancel_attempted_at') AS stopping,
	coalesce(to_jsonb(j.errors), '[]'::jsonb) AS failures`

func (r riverRow) job() job.Job {
	j := job.Job{
		ID: r.ID, Queue: r.Queue, Kind: r.Kind, State: job.State(r.State), Args: riverArgs(r.Args), Attempt: r.Attempt, Max: r.MaxAttempts,
		CreatedAt: r.CreatedAt, StartedAt: r.AttemptedAt, NextAt: r.ScheduledAt, EndedAt: r.FinalizedAt, Stopping: r.Stopping,
	}
	var failures []struct {
		At      time.Time `json:"at"`
		Attempt int       `json:"attempt"`
		Error   string    `json:"error"`
	}
	_ = json.Unmarshal(r.Errors, &failures) // what another version of the queue wrote is left out
	for _, f := range slices.Backward(failures) {
		j.Failures = append(j.Failures, job.Failure{At: f.At, Attempt: f.Attempt, Text: f.Error})
	}
	return j
}

// riverArgs are the fields of a job's arguments, by name.
func riverArgs(raw json.RawMessage) []job.Arg {
	var fields map[string]any
	_ = json.Unmarshal(raw, &fields) // arguments of ours are objects
	var args []job.Arg
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, plain := fields[name].(string)
		if !plain {
			b, _ := json.Marshal(fields[name]) // it was JSON
			text = string(b)
		}
		args = append(args, job.Arg{Name: name, Value: text})
	}
	return args
}

// Board gives all queues by name, also those that have no job now.
func (s *RiverJobs) Board(ctx context.Context) (job.Board, error) {
	var b job.Board
	var queues []struct {
		Name   string `bun:"name"`
		Paused bool   `bun:"paused"`
	}
	err := s.DB.NewRaw("SELECT name, paused_at IS NOT NULL AS paused FROM river_queue ORDER BY name").Scan(ctx, &queues)
	if err != nil {
		return b, fmt.Errorf("list queues: %w", toFault(err))
	}
	var counts []struct {
		Queue string `bun:"queue"`
		Kind  string `bun:"kind"`
		State string `bun:"state"`
		N     int    `bun:"n"`
	}
	err = s.DB.NewRaw("SELECT queue, kind, state::text AS state, count(*) AS n FROM river_job GROUP BY queue, kind, state").Scan(ctx,
		&counts)
	if err != nil {
		return b, fmt.Errorf("count jobs: %w", toFault(err))
	}
	byName := map[string]*job.Queue{}
	for _, q := range queues {
		byName[q.Name] = &job.Queue{Name: q.Name, Paused: q.Paused, Counts: map[job.State]int{}}
	}
	kinds := map[string]bool{}
	for _, c := range counts {
		if byName[c.Queue] == nil {
			byName[c.Queue] = &job.Queue{Name: c.Queue, Counts: map[job.State]int{}}
		}
		byName[c.Queue].Counts[job.State(c.State)] += c.N
		kinds[c.Kind] = true
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		b.Queues = append(b.Queues, *byName[name])
	}
	b.Kinds = slices.Sorted(maps.Keys(kinds))
	return b, nil
}

// List gives the jobs that f leaves, the newest first.
func (s *RiverJobs) List(ctx context.Context, f job.Filter, ask job.Ask) (page.Of[job.Job], error) {
	var rows []riverRow
	q := s.DB.NewSelect().Model(&rows).ColumnExpr(riverColumns).OrderExpr("j.id DESC").Limit(int64(ask.Limit) + 1)
	if ask.After > 0 {
		q = q.Where("j.id < ?", ask.After)
	}
	if f.Queue != "" {
		q = q.Where("j.queue = ?", f.Queue)
	}
	if f.Kind != "" {
		q = q.Where("j.kind = ?", f.Kind)
	}
	if f.State != "" {
		q = q.Where("j.state IN (?)", bun.List(job.Of(f.State)))
	}
	if err := q.Scan(ctx); err != nil {
		return page.Of[job.Job]{}, fmt.Errorf("list jobs: %w", toFault(err))
	}
	return page.Cut(each(rows, riverRow.job), ask.Limit, func(j job.Job) string { return strconv.FormatInt(j.ID, 10) }), nil
}

// Act locks a job, has may judge it, does it and records it.
func (s *RiverJobs) Act(ctx context.Context, id int64, act job.Act, e *audit.Entry, may func(job.Job) error) (j job.Job, err error) {
	do := s.Desk.RetryTx
	if act == job.Cancel {
		do = s.Desk.CancelTx
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		was, err := riverJob(ctx, tx, id, true)
		if err != nil {
			return err
		}
		if err := may(was); err != nil {
			return err
		}
		if err := do(ctx, tx.PGX, id); violated(err, "river_job_unique_idx") {
			return job.ErrTwice
		} else if err != nil {
			return fmt.Errorf("%s job: %w", act, toFault(err))
		}
		if j, err = riverJob(ctx, tx, id, false); err != nil {
			return err
		}
		return writeAudit(ctx, tx, *e)
	})
	return j, err
}

func riverJob(ctx context.Context, tx Tx, id int64, lock bool) (job.Job, error) {
	var row riverRow
	q := tx.NewSelect().Model(&row).ColumnExpr(riverColumns).Where("j.id = ?", id)
	if lock {
		q = q.For("UPDATE")
	}
	switch err := q.Scan(ctx); {
	case errors.Is(err, sql.ErrNoRows):
		return job.Job{}, job.ErrNoJob
	case err != nil:
		return job.Job{}, fmt.Errorf("load job: %w", toFault(err))
	}
	return row.job(), nil
}

// Pause stops or resumes a queue and records it.
func (s *RiverJobs) Pause(ctx context.Context, queue string, paused bool, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var name string
		err := tx.NewRaw("SELECT name FROM river_queue WHERE name = ? FOR UPDATE", queue).Scan(ctx, &name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return job.ErrNoQueue
		case err != nil:
			return fmt.Errorf("load queue: %w", toFault(err))
		}
		if err := s.Desk.PauseTx(ctx, tx.PGX, queue, paused); err != nil {
			return fmt.Errorf("pause queue: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}
