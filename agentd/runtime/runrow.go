package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// runRow is a run as it stands in the table.
type runRow struct {
	Seq                                                int64
	ID, RootID, ParentID, ParentCall, SessionID, Agent string
	State, Text, Worst, Model, Verdict, Claims, Final  string
	Error                                              string
	Origin                                             json.RawMessage
	Depth, Attempt, Steps, Calls                       int
	ActiveMS, UsageIn, UsageOut                        int64
	SentAt, CreatedAt, StartedAt, EndedAt              time.Time
	Files                                              []string // that went with the message
	LevelCap                                           int      // 0: none
	Said                                               string   // the answer of a run that asks no model
	BudgetRoot                                         string   // the root run whose budgets it draws from; empty: its own
	Joined                                             string   // the root run that answers it; empty: it does itself
	JoinedStep                                         int      // after which of its steps
}

const runColumns = `seq, id, root_id, parent_id, parent_call, session_id, agent, state, text, origin, depth, attempt, steps, calls, worst,
	active_ms, usage_in, usage_out, model, verdict, claims, final, error, sent_at, created_at, started_at, ended_at, files,
	level_cap, said, budget_root, joined, joined_step`

// runsWhere reads the runs that a condition picks.
func (r *Runtime) runsWhere(ctx context.Context, where string, args ...any) ([]runRow, error) {
	return rowsWhere(ctx, r.store.Read(), where, args...)
}

func rowsWhere(ctx context.Context, q rowsOf, where string, args ...any) ([]runRow, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+runColumns+" FROM runs WHERE "+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	defer rows.Close()
	var all []runRow
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, fmt.Errorf("read runs: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func scanRun(rows *sql.Rows) (runRow, error) {
	var r runRow
	var origin, files string
	var sent, created, started, ended int64
	err := rows.Scan(&r.Seq, &r.ID, &r.RootID, &r.ParentID, &r.ParentCall, &r.SessionID, &r.Agent, &r.State, &r.Text, &origin,
		&r.Depth, &r.Attempt, &r.Steps, &r.Calls, &r.Worst, &r.ActiveMS, &r.UsageIn, &r.UsageOut, &r.Model, &r.Verdict, &r.Claims,
		&r.Final, &r.Error, &sent, &created, &started, &ended, &files, &r.LevelCap, &r.Said, &r.BudgetRoot,
		&r.Joined, &r.JoinedStep)
	if err != nil {
		return r, err
	}
	r.Origin = json.RawMessage(origin)
	r.SentAt, r.CreatedAt, r.StartedAt, r.EndedAt = fromMicros(sent), fromMicros(created), fromMicros(started), fromMicros(ended)
	r.Files, err = filesOf(files)
	return r, err
}
