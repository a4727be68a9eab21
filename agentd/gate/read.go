package gate

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// Approval reads one approval, arguments included, also after it was decided; nil when there is none.
func (g *Gate) Approval(ctx context.Context, id string) (*wire.Approval, error) {
	a, err := loadApproval(ctx, g.db.Read(), id)
	if err != nil || a == nil {
		return nil, err
	}
	a.Approval.Edited = a.Edited
	return &a.Approval, nil
}

// OfRuns gives every approval of these runs, oldest first, arguments included.
func (g *Gate) OfRuns(ctx context.Context, runs []string) ([]*wire.Approval, error) {
	ids, err := json.Marshal(runs)
	if err != nil {
		return nil, fmt.Errorf("run ids: %w", err)
	}
	all, err := approvalsWhere(ctx, g.db.Read(), "run_id IN (SELECT value FROM json_each(?))", string(ids))
	if err != nil {
		return nil, err
	}
	return shown(all), nil
}

// Made gives a call with the arguments that it was made with, including those that a person edited; nil when there is none on
// record.
func (g *Gate) Made(ctx context.Context, callID string) (*Call, error) {
	r, err := loadRecord(ctx, g.db.Read(), callID)
	if err != nil || r == nil {
		return nil, err
	}
	return &r.Call, nil
}

// Pending counts the approvals that wait for a person.
func (g *Gate) Pending(ctx context.Context) (int, error) {
	var n int
	if err := g.db.Read().QueryRowContext(ctx, "SELECT count(*) FROM gate_approvals WHERE state = 'pending'").Scan(&n); err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return n, nil
}

// Waiting gives the approvals that wait for a person, oldest first.
func (g *Gate) Waiting(ctx context.Context) ([]*wire.Approval, error) {
	all, err := approvalsWhere(ctx, g.db.Read(), "state = 'pending'")
	if err != nil {
		return nil, err
	}
	return shown(all), nil
}

// shown are approvals as they are told elsewhere.
func shown(all []*approval) []*wire.Approval {
	out := make([]*wire.Approval, 0, len(all))
	for _, a := range all {
		out = append(out, &a.Approval)
	}
	return out
}
