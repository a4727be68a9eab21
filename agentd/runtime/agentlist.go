package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// listAgents gives the team with its effective powers.
func (r *Runtime) listAgents(ctx context.Context) (wire.AgentsResult, error) {
	cfg := r.config()
	out := wire.AgentsResult{DefaultLevel: cfg.DefaultLevel, ConfigVersion: cfg.Version, Model: r.model.Name(), Rehearsal: r.model.Rehearsal()}
	used, err := r.activityByAgent(ctx)
	if err != nil {
		return out, err
	}
	for _, a := range r.team.Agents() {
		own := cfg.Agents[a.ID]
		out.Items = append(out.Items, wire.AgentInfo{
			ID: a.ID, Name: a.Name, Role: a.Role, Emoji: a.Emoji, Description: a.Description, Level: levelOf(cfg, a.ID), Inherited: own.Level == 0,
			Off: own.Off, Tools: r.toolsOf(a, own), Starters: append([]string{}, a.Starters...), Calls7d: used[a.ID].calls,
			LastActive: used[a.ID].last, Paused: r.pausedBy(a.ID),
		})
	}
	for _, b := range r.team.Broken() {
		out.Items = append(out.Items, wire.AgentInfo{
			ID: b.ID, Name: b.ID, Level: levelOf(cfg, b.ID), Off: cfg.Agents[b.ID].Off, Broken: b.Why,
			Tools: []wire.ToolInfo{}, Starters: []string{},
		})
	}
	return out, nil
}

// pausedBy is the budget that keeps an agent from working; nil when none does.
func (r *Runtime) pausedBy(agent string) *wire.AgentPause {
	if r.paused == nil {
		return nil
	}
	return r.paused(agent)
}

func (r *Runtime) toolsOf(a team.Agent, own wire.AgentConfig) []wire.ToolInfo {
	var all []wire.ToolInfo
	v := r.viewOf(a.ID, team.ByOwner) // who sees the most
	for _, s := range r.team.See(v) {
		all = append(all, wire.ToolInfo{
			Name: s.Name, Doc: s.Doc, Outward: s.Outward, Unlocked: slices.Contains(own.Unlocked, s.Name),
			Visible: s.Visible, Layer: s.Layer, Why: s.Why, OwnerOnly: slices.Contains(v.OwnerOnly, s.Name),
		})
	}
	return all
}

// viewOf is what decides now which tools an agent sees in a run of an origin.
func (r *Runtime) viewOf(agent string, from team.Origin) team.View {
	return team.ViewOf(r.config(), agent, r.modelOf(agent).Name(), from)
}

// activity is what an agent did lately.
type activity struct {
	calls int       // in seven days
	last  time.Time // its last call or answer; zero: never
}

func (r *Runtime) activityByAgent(ctx context.Context) (map[string]activity, error) {
	week := micros(r.now().Add(-7 * 24 * time.Hour))
	rows, err := r.store.Read().QueryContext(ctx, `SELECT a.agent,
		(SELECT count(*) FROM run_calls c WHERE c.agent = a.agent AND c.created_at >= ?),
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
