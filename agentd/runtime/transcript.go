package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/llm"
)

// The kinds of entries.
const (
	kindAssistant = "assistant" // a model's answer to one step
	kindTool      = "tool"      // the result of a call
	kindCheck     = "check"     // what the answer check told the model
)

// entry is one line of a transcript.
type entry struct {
	RunID  string
	Kind   string
	Step   int
	Text   string
	Calls  []noted
	CallID string
	At     time.Time
}

// noted is a call as the transcript keeps it: our id, and the model's words.
type noted struct {
	ID   string `json:"id"`
	Ref  string `json:"ref"` // the provider's id
	Tool string `json:"tool"`
	Args string `json:"args"`
	// Agent is in whose name it is made, when that is not the run's own.
	Agent string `json:"agent,omitempty"`
}

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
}

const runColumns = `seq, id, root_id, parent_id, parent_call, session_id, agent, state, text, origin, depth, attempt, steps, calls, worst,
	active_ms, usage_in, usage_out, model, verdict, claims, final, error, sent_at, created_at, started_at, ended_at`

// queryer is what *sql.DB and *sql.Tx share.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// runsWhere reads the runs that a condition picks.
func runsWhere(ctx context.Context, q queryer, where string, args ...any) ([]runRow, error) {
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
	var origin string
	var sent, created, started, ended int64
	err := rows.Scan(&r.Seq, &r.ID, &r.RootID, &r.ParentID, &r.ParentCall, &r.SessionID, &r.Agent, &r.State, &r.Text, &origin, &r.Depth, &r.Attempt,
		&r.Steps, &r.Calls, &r.Worst, &r.ActiveMS, &r.UsageIn, &r.UsageOut, &r.Model, &r.Verdict, &r.Claims, &r.Final, &r.Error, &sent, &created, &started, &ended)
	r.Origin = json.RawMessage(origin)
	r.SentAt, r.CreatedAt, r.StartedAt, r.EndedAt = fromMicros(sent), fromMicros(created), fromMicros(started), fromMicros(ended)
	return r, err
}

// entriesOf reads the transcript of some runs in the order in which it was written.
func entriesOf(ctx context.Context, q queryer, runIDs ...string) ([]entry, error) {
	ids, err := json.Marshal(runIDs)
	if err != nil {
		return nil, fmt.Errorf("run ids: %w", err)
	}
	rows, err := q.QueryContext(ctx, `SELECT run_id, kind, step, text, calls, call_id, created_at FROM run_entries
		WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq`, string(ids))
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer rows.Close()
	var all []entry
	for rows.Next() {
		var e entry
		var calls string
		var at int64
		if err := rows.Scan(&e.RunID, &e.Kind, &e.Step, &e.Text, &calls, &e.CallID, &at); err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		if calls != "" {
			if err := json.Unmarshal([]byte(calls), &e.Calls); err != nil {
				return nil, fmt.Errorf("read transcript: %w", err)
			}
		}
		e.At = fromMicros(at)
		all = append(all, e)
	}
	return all, rows.Err()
}

// asWritten reads the transcript of a run with the arguments of its calls as the model wrote them. The transcript itself
// keeps them redacted, and the gate knows a call of a former life by every byte of its arguments.
func asWritten(ctx context.Context, q queryer, runID string) ([]entry, error) {
	entries, err := entriesOf(ctx, q, runID)
	if err != nil {
		return nil, err
	}
	args, err := argsOf(ctx, q, runID)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		for i := range e.Calls {
			if written, ok := args[e.Calls[i].ID]; ok {
				e.Calls[i].Args = written
			}
		}
	}
	return entries, nil
}

// argsOf are the arguments of the calls of a run as the model wrote them, by the id of the call.
func argsOf(ctx context.Context, q queryer, runID string) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT id, args FROM run_calls WHERE run_id = ?", runID)
	if err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var id, args string
		if err := rows.Scan(&id, &args); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		all[id] = args
	}
	return all, rows.Err()
}

// message is what the model reads of an entry. refs maps our call ids to the provider's.
func (e entry) message(refs map[string]string) llm.Message {
	switch e.Kind {
	case kindTool:
		return llm.Message{Role: llm.ToolReply, Text: e.Text, CallID: refs[e.CallID]}
	case kindCheck:
		return llm.Message{Role: llm.User, Text: e.Text}
	}
	m := llm.Message{Role: llm.Assistant, Text: e.Text}
	for _, c := range e.Calls {
		refs[c.ID] = c.Ref
		m.Calls = append(m.Calls, llm.Call{ID: c.Ref, Name: c.Tool, Args: c.Args})
	}
	return m
}
