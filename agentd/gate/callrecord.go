package gate

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// The states of a record besides those that wire.ToolState has.
const (
	stateAsked   = wire.ToolAsked
	stateStarted = wire.ToolState("started") // the intent is on record; nothing more is known until it has ended
)

// callRecord is what the gate keeps of a call. After a crash, State decides what happens to it.
type callRecord struct {
	Call      Call
	AskedHash string // SHA-256 of the arguments as the model wrote them
	State     wire.ToolState
	Class     policy.Class
	ArgsHash  string // of the canonical arguments, edited ones included
	Facts     []tool.Fact
	Frozen    json.RawMessage `json:",omitempty"`
	Staged    *Staged
	Approval  string          // id of the newest approval
	Judged    *wire.Judgement `json:",omitempty"`
	Brought   []policy.Source `json:",omitempty"` // content from outside in the result
	Text      string          // what the model reads, once it has ended
	Result    tool.Result
	CreatedAt time.Time
	StartedAt time.Time
	EndedAt   time.Time
}

// ended reports whether the call is over and its record final.
func (r *callRecord) ended() bool { return r.State != stateAsked && r.State != stateStarted }

func (r *callRecord) outcome() Outcome {
	return Outcome{State: r.State, Result: r.Result, Text: r.Text, Tier: string(r.Class.Tier), Args: r.Call.Args, Taint: r.Brought}
}

// isCall reports whether c is the call that the record was made for, and not another one under its id.
func (r *callRecord) isCall(c Call) bool {
	return r.AskedHash == rawHash(c.Args) && r.Call.Tool == c.Tool && r.Call.Agent == c.Agent && r.Call.RunID == c.RunID
}

func rawHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// queryer is what *sql.DB and *sql.Tx share.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// loadRecord reads a call; nil when there is none.
func loadRecord(ctx context.Context, q queryer, id string) (*callRecord, error) {
	var body string
	err := q.QueryRowContext(ctx, "SELECT body FROM gate_calls WHERE id = ?", id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read call: %w", err)
	}
	return parseRecord(body)
}

func parseRecord(body string) (*callRecord, error) {
	r := &callRecord{}
	if err := json.Unmarshal([]byte(body), r); err != nil {
		return nil, fmt.Errorf("read call: %w", err)
	}
	return r, nil
}

// upsert writes the record. The table refuses to change one that has ended.
func (r *callRecord) upsert(t txn) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep call: %w", err)
	}
	_, err = t.db.Exec(t.tx, `INSERT INTO gate_calls (id, run_id, root_run_id, session_id, agent, tool, asked_hash, state, body, created_at)
		VALUES (?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body`,
		r.Call.ID, r.Call.RunID, r.Call.RootRunID, r.Call.SessionID, r.Call.Agent, r.Call.Tool, r.AskedHash, string(r.State),
		string(body), r.CreatedAt.UnixMicro())
	if err != nil {
		return fmt.Errorf("keep call: %w", err)
	}
	return nil
}

// recordsWhere reads the calls that match a condition, oldest first.
func recordsWhere(ctx context.Context, q queryer, where string, args ...any) ([]*callRecord, error) {
	rows, err := q.QueryContext(ctx, "SELECT body FROM gate_calls WHERE "+where+" ORDER BY created_at, id", args...)
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []*callRecord
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return nil, fmt.Errorf("read calls: %w", err)
		}
		r, err := parseRecord(body)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// asCounted is the call as limits count it.
func (r *callRecord) asCounted() limit.Record {
	return limit.Record{
		ID: r.Call.ID, Run: r.Call.RunID, Key: loopKey(r.Call.Tool, r.AskedHash), Result: r.resultHash(),
		StartedAt: r.StartedAt, Spent: budgetUse(r.Class, r.Facts), Looked: r.Approval != "",
	}
}

// loopKey is the same for calls that ask for the same.
func loopKey(tool, argsHash string) string { return tool + " " + argsHash }

func (r *callRecord) resultHash() string {
	if !r.ended() {
		return ""
	}
	return string(r.State) + " " + rawHash([]byte(r.Text))
}
