package eventrule

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// row is a rule as it stands in the table.
type row struct {
	ID, Name, Agent, Task, Why, Session, LastAct string

	When             wire.EventWhen
	State            wire.HookState
	PerHour, Level   int
	Version          int64
	By               wire.DecidedBy
	Created, Updated time.Time
}

const columns = `id, name, event, of_agent, outcome, schedule, agent, task, per_hour, state, why, level, session, origin, last_act, version,
	created_at, updated_at`

// micros is how times stand in the tables: Unix microseconds.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("eventrule: " + err.Error()) // what is kept always marshals
	}
	return string(b)
}

// scanner is a row of an answer.
type scanner interface{ Scan(dest ...any) error }

func scan(from scanner) (v row, err error) {
	var origin string
	var created, updated int64
	err = from.Scan(&v.ID, &v.Name, &v.When.Event, &v.When.OfAgent, &v.When.Outcome, &v.When.Schedule, &v.Agent, &v.Task, &v.PerHour,
		&v.State, &v.Why, &v.Level, &v.Session, &origin, &v.LastAct, &v.Version, &created, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return v, errNone
	}
	if err != nil {
		return v, fmt.Errorf("read rule on events: %w", err)
	}
	v.Created, v.Updated = fromMicros(created), fromMicros(updated)
	return v, json.Unmarshal([]byte(origin), &v.By)
}

// find reads a rule inside a transaction.
func find(t txn, id string) (row, error) {
	return scan(t.db.QueryRow(t.tx, "SELECT "+columns+" FROM event_rules WHERE id = ?", id))
}

// byID reads a rule outside of a transaction.
func (r *Rules) byID(ctx context.Context, id string) (row, error) {
	return scan(r.d.DB.Read().QueryRowContext(ctx, "SELECT "+columns+" FROM event_rules WHERE id = ?", id))
}

// where reads rules outside of a transaction.
func (r *Rules) where(ctx context.Context, condition string) (all []row, err error) {
	rows, err := r.d.DB.Read().QueryContext(ctx, "SELECT "+columns+" FROM event_rules WHERE "+condition)
	if err != nil {
		return nil, fmt.Errorf("read rules on events: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// save adds a rule, or stores what may change of it.
func save(t txn, v row) error {
	_, err := t.exec("INSERT INTO event_rules ("+columns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET
		name = excluded.name, event = excluded.event, of_agent = excluded.of_agent, outcome = excluded.outcome,
		schedule = excluded.schedule, agent = excluded.agent, task = excluded.task, per_hour = excluded.per_hour, state = excluded.state,
		why = excluded.why, level = excluded.level, session = excluded.session, last_act = excluded.last_act, version = excluded.version,
		updated_at = excluded.updated_at`,
		v.ID, v.Name, v.When.Event, v.When.OfAgent, v.When.Outcome, v.When.Schedule, v.Agent, v.Task, v.PerHour, v.State, v.Why, v.Level,
		v.Session, toJSON(v.By), v.LastAct, v.Version, micros(v.Created), micros(v.Updated))
	return err
}
