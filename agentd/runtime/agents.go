package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// agents gives the team with its effective powers.
func (r *Runtime) agents(ctx context.Context) (wire.AgentsResult, error) {
	cfg := r.d.Config()
	out := wire.AgentsResult{DefaultLevel: cfg.DefaultLevel, ConfigVersion: cfg.Version, Model: r.d.Model.Name(), Rehearsal: r.d.Model.Rehearsal()}
	used, err := r.used(ctx)
	if err != nil {
		return out, err
	}
	for _, a := range r.d.Team.Agents() {
		own := cfg.Agents[a.ID]
		out.Items = append(out.Items, wire.AgentInfo{
			ID: a.ID, Name: a.Name, Role: a.Role, Emoji: a.Emoji, Description: a.Description, Level: levelOf(cfg, a.ID), Inherited: own.Level == 0,
			Off: own.Off, Tools: r.toolsOf(a, own), Starters: a.Starters, Calls7d: used[a.ID].calls, LastActive: used[a.ID].last,
		})
	}
	return out, nil
}

func (r *Runtime) toolsOf(a team.Agent, own wire.AgentConfig) []wire.ToolInfo {
	var all []wire.ToolInfo
	for _, d := range r.d.Team.Installed() {
		visible, why := r.d.Team.Visible(a.ID, d.Name)
		all = append(all, wire.ToolInfo{
			Name: d.Name, Doc: d.Doc, Outward: d.Outward, Unlocked: slices.Contains(own.Unlocked, d.Name), Visible: visible, Why: why,
		})
	}
	return all
}

// activity is what an agent did lately.
type activity struct {
	calls int       // in seven days
	last  time.Time // its last call or answer; zero: never
}

func (r *Runtime) used(ctx context.Context) (map[string]activity, error) {
	week := micros(r.d.Now().Add(-7 * 24 * time.Hour))
	rows, err := r.d.Store.Read().QueryContext(ctx, `SELECT a.agent, (SELECT count(*) FROM run_calls c WHERE c.agent = a.agent AND c.created_at >= ?),
		(SELECT max(created_at, started_at, ended_at) FROM runs r WHERE r.agent = a.agent ORDER BY seq DESC LIMIT 1)
		FROM (SELECT DISTINCT agent FROM runs) a`, week)
	if err != nil {
		return nil, fmt.Errorf("read activity: %w", err)
	}
	defer rows.Close()
	all := map[string]activity{}
	for rows.Next() {
		var agent string
		var a activity
		var last int64
		if err := rows.Scan(&agent, &a.calls, &last); err != nil {
			return nil, fmt.Errorf("read activity: %w", err)
		}
		a.last = fromMicros(last)
		all[agent] = a
	}
	return all, rows.Err()
}
