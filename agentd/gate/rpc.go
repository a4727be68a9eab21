package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

const (
	maxPast    = 20_000 // calls that a simulation looks at
	maxChanged = 500    // of those that it shows
)

// Methods answers questions about approvals, windows, limits, the guardian and what other rules would decide. Its errors are
// *wire.RPCError when they may be shown.
func (g *Gate) Methods() rpc.Methods {
	return rpc.Methods{
		wire.MethodApprovalGet:         rpc.With(rpc.Params{Unreadable: "The request names no approval."}, g.rpcApproval),
		wire.MethodWindowsList:         rpc.Without(g.Windows),
		wire.MethodWindowClose:         rpc.With(rpc.Params{Unreadable: "The request names no window."}, g.rpcCloseWindow),
		wire.MethodPermissionsSimulate: rpc.With(rpc.Params{Unreadable: "The request cannot be read."}, g.simulate),
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
		return nil, &wire.RPCError{Code: "not_found", Text: "This server has no such request."}
	}
	return a, nil
}

// simulate says which past calls other rules would have decided differently.
func (g *Gate) simulate(ctx context.Context, in wire.PermissionsTry) (wire.PermissionsPreview, error) {
	s := g.config()
	out := wire.PermissionsPreview{Problems: []wire.PermissionProblem{}, Changed: []wire.PermissionChanged{}, Diff: policy.DiffText("permissions.yaml", s.RulesText(), in.Text)}
	next, err := policy.ParseManifest([]byte(in.Text))
	var bad policy.Problems
	if errors.As(err, &bad) {
		for _, p := range bad {
			out.Problems = append(out.Problems, wire.PermissionProblem(p))
		}
		return out, nil
	}
	days := min(max(in.Days, 0), 31)
	if days == 0 {
		days = 7
	}
	now, _ := s.Rules()
	out.Loosens = policy.LoosensRules(now, next)
	err = g.eachPastCall(ctx, s, g.clock.now().AddDate(0, 0, -days), func(p policy.Past) {
		out.Checked++
		changed := policy.Simulate(now, next, []policy.Past{p}, g.deps.Root)
		out.Looser += len(policy.Loosens(changed))
		if len(changed) > 0 && len(out.Changed) < maxChanged {
			out.Changed = append(out.Changed, wireChanged(changed[0]))
		}
	})
	return out, err
}

func wireChanged(c policy.Changed) wire.PermissionChanged {
	return wire.PermissionChanged{
		CallID: c.Past.ID, RunID: c.Past.RunID, Time: c.Past.Time, Agent: c.Past.Agent, Tool: c.Past.Tool, Action: c.Past.Class.Action,
		Tier: string(c.Past.Class.Tier), Summary: c.Past.Class.Says, Before: string(c.Before.Effect), After: string(c.After.Effect), Why: c.After.Why, Rule: c.Rule,
	}
}

// eachPastCall hands over the calls since a time that were classified, newest first, as what the rules see of them: one by one, and
// without what they answered, for the calls of a week are more than fit into memory.
func (g *Gate) eachPastCall(ctx context.Context, s config.State, since time.Time, each func(policy.Past)) error {
	rows, err := g.db.Read().QueryContext(ctx, `SELECT json_remove(body, '$.Result', '$.Text', '$.Frozen', '$.Staged') FROM gate_calls
		WHERE created_at > ? ORDER BY created_at DESC, id DESC LIMIT ?`, since.UnixMicro(), maxPast)
	if err != nil {
		return fmt.Errorf("read calls: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return fmt.Errorf("read calls: %w", err)
		}
		r, err := parseRecord(body)
		if err != nil {
			return err
		}
		if r.Class.Tier != "" { // else it was refused before anyone looked at what it would do
			each(r.asPast(s))
		}
	}
	return rows.Err()
}

// asPast is the call as the rules see it now.
func (r *callRecord) asPast(s config.State) policy.Past {
	_, bytes := measuredSize(r.Facts)
	return policy.Past{
		ID: r.Call.ID, RunID: r.Call.RunID, Time: r.CreatedAt, Agent: r.Call.Agent, Tool: r.Call.Tool, Class: r.Class, Args: r.Call.Args,
		Channel: r.Call.Origin.Channel, Level: min(s.Level(r.Call.Agent), r.Call.Level), Unlocked: s.Unlocked(r.Call.Agent, r.Call.Tool), Sources: r.Call.Taint, Bytes: bytes,
	}
}

// rpcCloseWindow closes a window and gives those that are left.
func (g *Gate) rpcCloseWindow(ctx context.Context, in wire.WindowClose) (wire.WindowsResult, error) {
	if err := g.CloseWindow(ctx, in); err != nil {
		return wire.WindowsResult{}, err
	}
	return g.Windows(ctx)
}

// limitsInForce are the limits in force besides those of single rules.
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
		Budgets: []wire.Budget{{Name: "deletes", Most: b.Deletes}, {Name: "changes", Most: b.Changes}, {Name: "files", Most: b.Files}, {Name: "bytes", Most: b.Bytes}, {Name: "recipients", Most: b.Recipients}, {Name: "money", Most: b.Money}},
	}, nil
}

// guardianState says how the second look is set, and what it said in seven days.
func (g *Gate) guardianState(ctx context.Context) (wire.GuardianState, error) {
	m, _ := g.rules()
	out := wire.GuardianState{Mode: m.GuardianMode()}
	if g.deps.Guardian != nil {
		out.On = g.deps.Guardian.On(out.Mode)
		out.Model, out.Rehearsal = g.deps.Guardian.Model()
	}
	rows, err := g.db.Read().QueryContext(ctx, "SELECT json_extract(body, '$.Judged.verdict'), coalesce(json_extract(body, '$.Judged.failed'), 0), count(*) FROM gate_calls WHERE created_at > ? AND json_extract(body, '$.Judged.verdict') IS NOT NULL GROUP BY 1, 2",
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
