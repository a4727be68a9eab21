package gate

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// Methods answers questions about approvals, windows, limits, the guardian and what other rules would decide. Its errors are
// *wire.RPCError when they may be shown.
func (g *Gate) Methods() rpc.Methods {
	return rpc.Methods{
		wire.MethodApprovalGet:         rpc.With(rpc.Params{Unreadable: "It is unclear which request is meant."}, g.rpcApproval),
		wire.MethodApprovalsSaid:       rpc.With(rpc.Params{Unreadable: "It is unclear which requests are meant."}, g.said),
		wire.MethodWindowsList:         rpc.Without(g.Windows),
		wire.MethodWindowClose:         rpc.With(rpc.Params{Unreadable: "It is unclear which permission is meant."}, g.rpcCloseWindow),
		wire.MethodPermissionsSimulate: rpc.With(rpc.Params{Unreadable: "The request could not be read."}, g.simulate),
		wire.MethodLimitsGet:           rpc.Without(g.limitsInForce),
		wire.MethodGuardianGet:         rpc.Without(g.guardianState),
	}
}

// rpcApproval is Approval for a person, who is told when there is none.
func (g *Gate) rpcApproval(ctx context.Context, in wire.ApprovalParams) (*wire.Approval, error) {
	a, err := g.Approval(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, &wire.RPCError{Code: "not_found", Text: "This request is not on your server. It may have been removed."}
	}
	gone, err := g.forgotten(ctx, a)
	if err != nil {
		return nil, err
	}
	if gone {
		return nil, &wire.RPCError{Code: "not_found", Text: "The conversation of this request was deleted, and with it what was asked."}
	}
	return a, nil
}

// said gives the sentences of approvals, for a list of what was decided.
func (g *Gate) said(ctx context.Context, in wire.ApprovalsSaidParams) (wire.ApprovalsSaid, error) {
	out := wire.ApprovalsSaid{Says: map[string]string{}}
	ids, err := json.Marshal(in.IDs[:min(len(in.IDs), wire.MaxSaid)])
	if err != nil {
		return out, fmt.Errorf("approval ids: %w", err)
	}
	rows, err := g.db.Read().QueryContext(ctx, `SELECT id, json_extract(body, '$.summary') FROM gate_approvals
		WHERE id IN (SELECT value FROM json_each(?)) AND json_extract(body, '$.summary') <> ''`, string(ids))
	if err != nil {
		return out, fmt.Errorf("read approvals: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var id, says string
		if err := rows.Scan(&id, &says); err != nil {
			return out, fmt.Errorf("read approvals: %w", err)
		}
		out.Says[id] = says
	}
	return out, rows.Err()
}

// rpcCloseWindow closes a window and gives those that are left.
func (g *Gate) rpcCloseWindow(ctx context.Context, in wire.WindowClose) (wire.WindowsResult, error) {
	if err := g.CloseWindow(ctx, in); err != nil {
		return wire.WindowsResult{}, err
	}
	return g.Windows(ctx)
}

// limitsInForce are the limits in force, without those of single rules.
func (g *Gate) limitsInForce(context.Context) (wire.LimitsResult, error) {
	m, _ := g.rules()
	b := policy.BudgetsOf(m)
	rates := map[policy.Tier]string{}
	for _, t := range []policy.Tier{policy.Yellow, policy.YellowExternal, policy.Red, policy.CriticalRed} {
		r := policy.UsualRate(t)
		rates[t] = fmt.Sprintf("%d/%s", r.Calls, r.Per)
	}
	text, err := json.Marshal(rates)
	if err != nil {
		text = []byte("{}") // strings always marshal
	}
	return wire.LimitsResult{
		PendingPerAgent: maxPending, Depth: limit.MaxDepth, LoopWindow: limit.LoopWindow, Rates: text,
		Budgets: []wire.Budget{
			{Name: "deletes", Most: b.Deletes},
			{Name: "changes", Most: b.Changes},
			{Name: "files", Most: b.Files},
			{Name: "bytes", Most: b.Bytes},
			{Name: "recipients", Most: b.Recipients},
			{Name: "money", Most: b.Money},
		},
	}, nil
}

// guardianState says how the guardian is set, and what it said in seven days.
func (g *Gate) guardianState(ctx context.Context) (wire.GuardianState, error) {
	m, _ := g.rules()
	out := wire.GuardianState{Mode: m.GuardianMode()}
	if g.deps.Guardian != nil {
		out.On = g.deps.Guardian.On(out.Mode)
		out.Model, out.Rehearsal = g.deps.Guardian.Model()
	}
	rows, err := g.db.Read().QueryContext(ctx, `SELECT json_extract(body, '$.Judged.verdict'),
		coalesce(json_extract(body, '$.Judged.failed'), 0), count(*)
		FROM gate_calls WHERE created_at > ? AND json_extract(body, '$.Judged.verdict') IS NOT NULL GROUP BY 1, 2`,
		g.clock.now().AddDate(0, 0, -7).UnixMicro())
	if err != nil {
		return out, fmt.Errorf("read verdicts: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var verdict string
		var failed bool
		var n int
		if err := rows.Scan(&verdict, &failed, &n); err != nil {
			return out, fmt.Errorf("read verdicts: %w", err)
		}
		switch policy.Opinion(verdict) {
		case policy.Harmless:
			out.Allowed += n
		case policy.Block:
			out.Blocked += n
		default:
			out.Escalated += n
		}
		if failed {
			out.Failed += n
		}
	}
	return out, rows.Err()
}
