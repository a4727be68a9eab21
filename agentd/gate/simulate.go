package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

const (
	maxPast    = 20_000 // calls that a simulation looks at
	maxChanged = 500    // of those that it shows
)

// simulate says which past calls other rules would have decided differently.
func (g *Gate) simulate(ctx context.Context, in wire.PermissionsTry) (wire.PermissionsPreview, error) {
	s := g.config()
	out := wire.PermissionsPreview{
		Problems: []wire.PermissionProblem{}, Changed: []wire.PermissionChanged{},
		Diff: policy.DiffText("permissions.yaml", s.RulesText(), in.Text),
	}
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
		Tier: string(c.Past.Class.Tier), Summary: c.Past.Class.Says, Before: string(c.Before.Effect), After: string(c.After.Effect),
		Why: c.After.Why, Rule: c.Rule,
	}
}

// eachPastCall gives each the classified calls since a time, newest first, as the rules see them. It reads them one by one and
// without their results: the calls of a week do not fit into memory.
func (g *Gate) eachPastCall(ctx context.Context, s config.State, since time.Time, each func(policy.Past)) error {
	rows, err := g.db.Read().QueryContext(ctx, `SELECT json_remove(body, '$.Result', '$.Text', '$.Frozen', '$.Staged')
		FROM gate_calls WHERE created_at > ? AND session_id NOT IN (SELECT id FROM deleted_sessions)
		ORDER BY created_at DESC, id DESC LIMIT ?`, since.UnixMicro(), maxPast)
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
		if r.Class.Tier != "" { // otherwise it was refused before it was classified
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
		Channel: r.Call.Origin.Channel, Level: min(s.Level(r.Call.Agent), r.Call.Level),
		Unlocked: s.Unlocked(r.Call.Agent, r.Call.Tool), Sources: r.Call.Taint, Bytes: bytes,
	}
}
