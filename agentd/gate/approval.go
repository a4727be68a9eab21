package gate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// approval is an approval as the gate stores it: what a person sees, and the arguments that the person put in its place.
type approval struct {
	wire.Approval
	Edited json.RawMessage // arguments of an edit; empty: as asked
	Key    string          // that signed the decision to allow; empty: there is none, or it is not known
}

// approvalRow is the JSON of an approval in its row.
type approvalRow struct {
	wire.Approval
	Key string `json:"signed_by,omitempty"`
}

// loadApproval reads an approval; nil when there is none.
func loadApproval(ctx context.Context, q queryer, id string) (*approval, error) {
	var body, edited string
	err := q.QueryRowContext(ctx, "SELECT body, edited FROM gate_approvals WHERE id = ?", id).Scan(&body, &edited)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read approval: %w", err)
	}
	return parseApproval(body, edited)
}

func parseApproval(body, edited string) (*approval, error) {
	var s approvalRow
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		return nil, fmt.Errorf("read approval: %w", err)
	}
	a := &approval{Approval: s.Approval, Key: s.Key}
	if edited != "" {
		a.Edited = json.RawMessage(edited)
	}
	return a, nil
}

// upsert writes the approval. The table refuses changes that no approval makes.
func (a *approval) upsert(t txn) error {
	kept, err := a.redactedRow()
	if err != nil {
		return err
	}
	body, err := json.Marshal(approvalRow{kept, a.Key})
	if err != nil {
		return fmt.Errorf("keep approval: %w", err)
	}
	_, err = t.db.Exec(t.tx, `INSERT INTO gate_approvals
		(id, code, call_id, run_id, agent, tool, args_hash, state, execution, expires_at, body, edited)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, execution = excluded.execution, body = excluded.body, edited = excluded.edited`,
		a.ID, a.Code, a.CallID, a.RunID, a.Agent, a.Tool, a.ArgsHash, string(a.State), string(a.Execution),
		a.ExpiresAt.Unix(), string(body), a.storedEdit())
	if err != nil {
		return fmt.Errorf("keep approval: %w", err)
	}
	return nil
}

// asUpdate is the approval as it stands now, for the hub.
func (a *approval) asUpdate(at time.Time, note string) wire.ApprovalUpdate {
	return wire.ApprovalUpdate{ID: a.ID, State: a.State, Execution: a.Execution, Next: a.Next, DecidedBy: a.DecidedBy, Note: note, Time: at}
}

// approvalsWhere reads the approvals that match a condition, oldest first.
func approvalsWhere(ctx context.Context, q queryer, where string, args ...any) ([]*approval, error) {
	rows, err := q.QueryContext(ctx, "SELECT body, edited FROM gate_approvals WHERE "+where+" ORDER BY id", args...)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []*approval
	for rows.Next() {
		var body, edited string
		if err := rows.Scan(&body, &edited); err != nil {
			return nil, fmt.Errorf("read approvals: %w", err)
		}
		a, err := parseApproval(body, edited)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, rows.Err()
}
