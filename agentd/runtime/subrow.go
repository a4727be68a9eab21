package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// subagent is what a tree knows of itself when it is the work of a sub-agent.
type subagent struct {
	callID, parentRun, parentRoot, parentSession string
	chain                                        []string // the agents that stand behind it
}

// subRow is a sub-agent as it stands in its table, with its run.
type subRow struct {
	subagent
	ID, Session, Agent, Task, Told   string
	Ended                            wire.SubState // empty while open
	Run                              wire.RunState
	Final, Failed                    string // wire.FinalData or wire.ErrorData, JSON
	CreatedAt, StartedAt, ArchivesAt time.Time
}

// state is where it stands.
func (s subRow) state() wire.SubState {
	switch {
	case s.Ended != "":
		return s.Ended
	case s.Run == wire.RunQueued:
		return wire.SubSpawned
	}
	return wire.SubRunning
}

const subColumns = `s.id, s.call_id, s.parent_run, s.parent_root, s.parent_session, s.chain, s.state, s.told, s.ended_at,
	r.session_id, r.agent, r.text, r.state, r.final, r.error, r.created_at, r.started_at`

// rowsOf is what a transaction and the reading side of the store share.
type rowsOf interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// subsWhere reads the sub-agents that a condition on s (the sub-agent) and r (its run) picks, in the order of their beginning.
func subsWhere(ctx context.Context, q rowsOf, where string, args ...any) ([]subRow, error) {
	query := "SELECT " + subColumns + " FROM subagents s JOIN runs r ON r.id = s.id WHERE " + where + " ORDER BY r.seq"
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read sub-agents: %w", err)
	}
	defer rows.Close()
	var all []subRow
	for rows.Next() {
		s, err := scanSub(rows)
		if err != nil {
			return nil, fmt.Errorf("read sub-agents: %w", err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func scanSub(rows *sql.Rows) (s subRow, err error) {
	var chain string
	var ended, created, started int64
	err = rows.Scan(&s.ID, &s.callID, &s.parentRun, &s.parentRoot, &s.parentSession, &chain, &s.Ended, &s.Told, &ended,
		&s.Session, &s.Agent, &s.Task, &s.Run, &s.Final, &s.Failed, &created, &started)
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.StartedAt = fromMicros(created), fromMicros(started)
	if ended > 0 {
		s.ArchivesAt = fromMicros(ended).Add(keptAfter)
	}
	return s, json.Unmarshal([]byte(chain), &s.chain)
}
