package gate

import (
	"context"
	"slices"
	"time"

	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// checkStartLimits holds a call that a person has allowed to the limits in force when it starts: always to the hours and to
// what the machine has left, and to rate and cooldown if it was not held to them when the person was asked.
func (p *pipeline) checkStartLimits(ctx context.Context, a *approval) error {
	if over := p.checkResources(); over != nil {
		return p.refuseOverLimit(over)
	}
	m, version := p.rules()
	for _, l := range m.Judge(p.ruleSubject()).Limits {
		over := limit.Hours(l, p.clock.now())
		if over == nil && version != p.startLimitsVersion {
			var err error
			if over, err = p.checkStartRate(ctx, l, version, a.RulesVersion); err != nil {
				return err
			}
		}
		if over != nil {
			return p.refuseOverLimit(over)
		}
	}
	p.startLimitsVersion = version
	return nil
}

// checkStartRate holds the call to rate and cooldown of one rule. A call that the rule counts as it is on record is in the
// rule's bucket already and is not taken out again. A call that the rule counts only since a person edited it, or since it
// was measured again, is taken out now.
func (p *pipeline) checkStartRate(ctx context.Context, l policy.RuleLimits, version, asked int64) (*limit.Exceeded, error) {
	m, _ := p.rules()
	bound := limit.BoundOf(l)
	switch {
	case !p.ruleCounts(m, p.record, l.Rule):
		return p.takeRuleRate(ctx, l, version)
	case version == asked, bound.IsZero():
		return nil, nil
	}
	now := p.clock.now()
	past, err := p.recentCalls(ctx, l, now, p.record.countsBefore)
	if err != nil {
		return nil, err
	}
	return limit.RuleRate(l, bound.Wait(past, now)), nil
}

// countsBefore reports whether another call is counted before this one: it was made earlier, or it has started. Of two calls
// that wait, one goes first this way.
func (r *callRecord) countsBefore(other *callRecord) bool {
	if other.Call.ID == r.Call.ID {
		return false
	}
	if other.State != stateAsked || other.CreatedAt.Before(r.CreatedAt) {
		return true
	}
	return other.CreatedAt.Equal(r.CreatedAt) && other.Call.ID < r.Call.ID
}

// recentCalls gives the times, oldest first, of the calls of this agent with this tool that a rule still counts and that fit.
func (p *pipeline) recentCalls(ctx context.Context, l policy.RuleLimits, now time.Time, fits func(*callRecord) bool) ([]time.Time, error) {
	since := now.Add(-max(l.Rate.Per, time.Duration(l.Cooldown)))
	records, err := recordsWhere(ctx, p.db.Read(), "created_at > ? AND agent = ? AND tool = ? AND state NOT IN (?, ?)",
		since.UnixMicro(), p.call.Agent, p.call.Tool, string(wire.ToolDenied), string(wire.ToolStopped))
	if err != nil {
		return nil, err
	}
	m, _ := p.rules()
	var all []time.Time
	for _, r := range records {
		if fits(r) && p.ruleCounts(m, r, l.Rule) {
			all = append(all, r.CreatedAt)
		}
	}
	return all, nil
}

// ruleCounts reports whether a rule counts a call, as the call is on record.
func (g *Gate) ruleCounts(m *policy.Manifest, r *callRecord, rule string) bool {
	p := pipeline{Gate: g, call: r.Call, class: r.Class, facts: r.Facts}
	return slices.ContainsFunc(m.Judge(p.ruleSubject()).Limits, func(l policy.RuleLimits) bool { return l.Rule == rule })
}
