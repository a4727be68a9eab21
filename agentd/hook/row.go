package hook

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// row is a hook as it stands in the table.
type row struct {
	ID, Name, Agent, Task, SecretHash, Session, LastAct string
	Proof                                               wire.HookProof
	State                                               wire.HookState
	PerMinute, Level                                    int
	Version                                             int64
	By                                                  wire.DecidedBy
	Created, Updated, Renewed                           time.Time
}

const columns = `id, name, agent, task, proof, secret_hash, state, per_minute, level, session, origin, last_act, version, created_at,
	updated_at, renewed_at`

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
		panic("hook: " + err.Error()) // what is kept always marshals
	}
	return string(b)
}

// scanner is a row of an answer.
type scanner interface{ Scan(dest ...any) error }

func scan(from scanner) (r row, err error) {
	var origin string
	var created, updated, renewed int64
	err = from.Scan(&r.ID, &r.Name, &r.Agent, &r.Task, &r.Proof, &r.SecretHash, &r.State, &r.PerMinute, &r.Level, &r.Session, &origin,
		&r.LastAct, &r.Version, &created, &updated, &renewed)
	if errors.Is(err, sql.ErrNoRows) {
		return r, errNone
	}
	if err != nil {
		return r, fmt.Errorf("read hook: %w", err)
	}
	r.Created, r.Updated, r.Renewed = fromMicros(created), fromMicros(updated), fromMicros(renewed)
	return r, json.Unmarshal([]byte(origin), &r.By)
}

// find reads a hook inside a transaction.
func find(t txn, id string) (row, error) {
	return scan(t.db.QueryRow(t.tx, "SELECT "+columns+" FROM hooks WHERE id = ?", id))
}

// named reads the hook of a name that was not deleted.
func (h *Hooks) named(ctx context.Context, name string) (row, error) {
	return scan(h.d.DB.Read().QueryRowContext(ctx, "SELECT "+columns+" FROM hooks WHERE name = ? AND state <> 'deleted'", name))
}

// byID reads a hook outside of a transaction.
func (h *Hooks) byID(ctx context.Context, id string) (row, error) {
	return scan(h.d.DB.Read().QueryRowContext(ctx, "SELECT "+columns+" FROM hooks WHERE id = ?", id))
}

// where reads hooks outside of a transaction.
func (h *Hooks) where(ctx context.Context, condition string) (all []row, err error) {
	rows, err := h.d.DB.Read().QueryContext(ctx, "SELECT "+columns+" FROM hooks WHERE "+condition)
	if err != nil {
		return nil, fmt.Errorf("read hooks: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// save adds a hook, or stores what may change of it.
func save(t txn, r row) error {
	_, err := t.exec("INSERT INTO hooks ("+columns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET
		agent = excluded.agent, task = excluded.task, secret_hash = excluded.secret_hash, state = excluded.state,
		per_minute = excluded.per_minute, level = excluded.level, session = excluded.session, last_act = excluded.last_act,
		version = excluded.version, updated_at = excluded.updated_at, renewed_at = excluded.renewed_at`,
		r.ID, r.Name, r.Agent, r.Task, r.Proof, r.SecretHash, r.State, r.PerMinute, r.Level, r.Session, toJSON(r.By), r.LastAct, r.Version,
		micros(r.Created), micros(r.Updated), micros(r.Renewed))
	return err
}
