package schedule

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// row is a schedule as it stands in the table.
type row struct {
	ID, Agent, Spec, Zone, Title, Task, Why, Session, RunID, CallID string
	Kind                                                            wire.ScheduleKind
	CatchUp                                                         wire.CatchUp
	Deliver                                                         wire.DeliverTo
	State                                                           wire.ScheduleState
	Level, Failures                                                 int
	Version                                                         int64
	Taint                                                           []policy.Source
	Origin                                                          wire.Origin
	Anchor, Due, StartAt, Created, Updated                          time.Time
	Condition                                                       *wire.ScheduleCondition // of a monitor
	Holds                                                           bool                    // it held when it was looked at last
	Blind                                                           int                     // looks in a row that gave no number
}

const columns = `id, agent, kind, spec, zone, anchor, title, task, catch_up, deliver, state, why, level, taint, session, origin, run_id,
	call_id, version, failures, due, start_at, created_at, updated_at, condition, holds, blind`

// micros is how times stand in the tables: Unix microseconds, 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("schedule: " + err.Error()) // what is kept always marshals
	}
	return string(b)
}

// scanner is a row of an answer.
type scanner interface{ Scan(dest ...any) error }

func scan(from scanner) (r row, err error) {
	var taint, origin, condition string
	var anchor, dueAt, start, created, updated int64
	err = from.Scan(&r.ID, &r.Agent, &r.Kind, &r.Spec, &r.Zone, &anchor, &r.Title, &r.Task, &r.CatchUp, &r.Deliver, &r.State, &r.Why,
		&r.Level, &taint, &r.Session, &origin, &r.RunID, &r.CallID, &r.Version, &r.Failures, &dueAt, &start, &created, &updated,
		&condition, &r.Holds, &r.Blind)
	if err != nil {
		return r, err
	}
	if condition != "" {
		r.Condition = &wire.ScheduleCondition{}
		err = json.Unmarshal([]byte(condition), r.Condition)
	}
	r.Anchor, r.Due, r.StartAt = fromMicros(anchor), fromMicros(dueAt), fromMicros(start)
	r.Created, r.Updated = fromMicros(created), fromMicros(updated)
	return r, errors.Join(err, json.Unmarshal([]byte(taint), &r.Taint), json.Unmarshal([]byte(origin), &r.Origin))
}

// find reads a schedule inside a transaction.
func find(t txn, id string) (row, error) {
	r, err := scan(t.db.QueryRow(t.tx, "SELECT "+columns+" FROM schedules WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, errNone
	}
	if err != nil {
		return r, fmt.Errorf("read schedule: %w", err)
	}
	return r, nil
}

// where reads schedules outside of one.
func (s *Schedules) where(ctx context.Context, condition string, args ...any) (all []row, err error) {
	rows, err := s.d.DB.Read().QueryContext(ctx, "SELECT "+columns+" FROM schedules WHERE "+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read schedules: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// insert adds a schedule.
func insert(t txn, r row) error {
	_, err := t.exec("INSERT INTO schedules ("+columns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		r.ID, r.Agent, r.Kind, r.Spec, r.Zone, micros(r.Anchor), r.Title, r.Task, r.CatchUp, r.Deliver, r.State, r.Why, r.Level,
		toJSON(r.Taint), r.Session, toJSON(r.Origin), r.RunID, r.CallID, r.Version, r.Failures, micros(r.Due), micros(r.StartAt),
		micros(r.Created), micros(r.Updated), r.condition(), r.Holds, r.Blind)
	return err
}

// condition is how the condition stands in the table.
func (r row) condition() string {
	if r.Condition == nil {
		return ""
	}
	return toJSON(r.Condition)
}

// save stores what may change of a schedule. Level and taint may: they only ever get stricter.
func save(t txn, r row) error {
	_, err := t.exec(`UPDATE schedules SET agent = ?, kind = ?, spec = ?, zone = ?, anchor = ?, title = ?, task = ?, catch_up = ?,
		deliver = ?, state = ?, why = ?, level = ?, taint = ?, session = ?, version = ?, failures = ?, due = ?, start_at = ?,
		updated_at = ?, condition = ?, holds = ?, blind = ? WHERE id = ?`,
		r.Agent, r.Kind, r.Spec, r.Zone, micros(r.Anchor), r.Title, r.Task, r.CatchUp, r.Deliver, r.State,
		r.Why, r.Level, toJSON(r.Taint), r.Session, r.Version, r.Failures, micros(r.Due),
		micros(r.StartAt), micros(r.Updated), r.condition(), r.Holds, r.Blind, r.ID)
	return err
}

// rule is when the schedule is due. What was kept can be read, unless the machine lost its time zones.
func (r row) rule() (due.Rule, error) {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return due.Rule{}, fmt.Errorf("schedule %s: %w", r.ID, err)
	}
	rule, err := due.Parse(r.Kind, r.Spec, zone, r.Anchor)
	if err != nil {
		return due.Rule{}, fmt.Errorf("schedule %s: %w", r.ID, err)
	}
	return rule, nil
}

// spread is how long after a tick the run begins: a time that somebody named is kept to the second.
func (r row) spread(tick time.Time) time.Duration {
	if r.Kind == wire.ScheduleAt || r.Kind == wire.ScheduleReminder {
		return 0
	}
	return due.Spread(r.ID, tick)
}

// moveOn sets the next tick after a moment; without one the schedule is done.
func (r *row) moveOn(rule due.Rule, after time.Time) {
	next, ok := rule.Next(after)
	if !ok {
		r.Due, r.StartAt, r.State, r.Why = time.Time{}, time.Time{}, wire.ScheduleDone, ""
		return
	}
	r.Due, r.StartAt = next.UTC(), next.UTC().Add(r.spread(next))
}
