package gate

import (
	"context"
	"time"

	"gatehouse/agentd/policy"
)

// checkStartLimits holds a call that a person has allowed to the limits as they are when it starts: to the hours and what the
// machine has left always, and to rate and cooldown where it was not held to them when it was asked about.
func (p *pipeline) checkStartLimits(ctx context.Context, a *approval) error {
	if over := p.checkResources(); over != nil {
		return p.refuseOverLimit(over)
	}
	m, version := p.rules()
	for _, l := range m.Judge(p.ruleSubject()).Limits {
		over := p.ruleHours(l)
		if over == nil && version != p.startLimitsVersion {
			var err error
			if over, err = p.rateAtStart(ctx, l, version, a.RulesVersion); err != nil {
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

// rateAtStart holds the call to rate and cooldown of one rule. What the rule counts on record is in its bucket, whenever
// that was made, so it is not taken out again; what it counts only since the call was edited or measured anew is.
func (p *pipeline) rateAtStart(ctx context.Context, l policy.RuleLimits, version, asked int64) (*tooMuch, error) {
	m, _ := p.rules()
	switch {
	case !p.ruleCounts(m, p.record, l.Rule):
		return p.ruleRate(ctx, l, version)
	case version == asked, l.Rate.IsZero() && l.Cooldown == 0:
		return nil, nil
	}
	now := p.clock.now()
	past, err := p.recentCalls(ctx, l, p.call.Agent, p.call.Tool, now, p.record.countsOther)
	if err != nil {
		return nil, err
	}
	return tooSoon(l, waitFor(refill(l.Rate, past, now), l.Rate, time.Duration(l.Cooldown), now)), nil
}

// countsOther says whether another call has to be counted before this one: it was made earlier, or has started. Of two
// that wait, so, one goes first.
func (r *callRecord) countsOther(other *callRecord) bool {
	if other.Call.ID == r.Call.ID {
		return false
	}
	if other.State != stateAsked || other.CreatedAt.Before(r.CreatedAt) {
		return true
	}
	return other.CreatedAt.Equal(r.CreatedAt) && other.Call.ID < r.Call.ID
}
