package gate

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
)

// ruleLimits holds a call to the limits of the owner's rules that match it.
func (p *pipeline) ruleLimits(ctx context.Context) (*tooMuch, error) {
	m, version := p.rules()
	p.limitsVersion = version
	for _, l := range m.Judge(p.ruleSubject()).Limits {
		if over, err := p.ruleLimit(ctx, l, version); over != nil || err != nil {
			return over, err
		}
	}
	return nil, nil
}

// recheckRuleLimits holds a call to the rules that it was decided under, when others were in force at stage 4. Its start is
// refused as stale when these change, too: so a call never starts beyond the limits in force.
func (p *pipeline) recheckRuleLimits(ctx context.Context, d decision) error {
	if d.Effect == policy.Deny || d.rules == p.limitsVersion {
		return nil
	}
	over, err := p.ruleLimits(ctx)
	if err != nil || over == nil {
		return err
	}
	return p.refuseOverLimit(over)
}

func (p *pipeline) ruleLimit(ctx context.Context, l policy.RuleLimits, version int64) (*tooMuch, error) {
	if over := p.ruleHours(l); over != nil {
		return over, nil
	}
	return p.ruleRate(ctx, l, version)
}

func (p *pipeline) ruleHours(l policy.RuleLimits) *tooMuch {
	if l.Hours == nil {
		return nil
	}
	wait := l.Hours.Wait(p.clock.now())
	if wait <= 0 {
		return nil
	}
	return &tooMuch{kind: "hours", after: wait, why: "outside the hours of the rule " + l.Rule, text: "The owner allows this at certain hours only; it was not done."}
}

// ruleRate takes the call out of the rule's bucket.
func (p *pipeline) ruleRate(ctx context.Context, l policy.RuleLimits, version int64) (*tooMuch, error) {
	if l.Rate.IsZero() && l.Cooldown == 0 {
		return nil, nil
	}
	now := p.clock.now()
	key := l.Rule + "\x00" + p.call.Agent + "\x00" + p.call.Tool
	var past []time.Time
	if !p.buckets.has(key, version) {
		var err error
		if past, err = p.recentCalls(ctx, l, p.call.Agent, p.call.Tool, now, func(*callRecord) bool { return true }); err != nil {
			return nil, err
		}
	}
	wait := p.buckets.take(key, version, l.Rate, time.Duration(l.Cooldown), now, func() *policy.Bucket { return refill(l.Rate, past, now) })
	return tooSoon(l, wait), nil
}

// tooSoon says that a call has to wait for a rule; nil when it has not.
func tooSoon(l policy.RuleLimits, wait time.Duration) *tooMuch {
	switch {
	case wait == 0:
		return nil
	case !l.Rate.IsZero():
		return &tooMuch{kind: "rate", after: wait, why: fmt.Sprintf("the rule %s allows %d calls in %s", l.Rule, l.Rate.Calls, l.Rate.Per), text: "The owner allows this only so often; it was not done."}
	}
	return &tooMuch{kind: "cooldown", after: wait, why: fmt.Sprintf("the rule %s asks for %s between two calls", l.Rule, time.Duration(l.Cooldown)), text: "The owner wants some time between two of these; it was not done."}
}

// refill makes the bucket of a rule as the calls on record leave it: a restart fills none.
func refill(r policy.Rate, past []time.Time, now time.Time) *policy.Bucket {
	start := now
	if len(past) > 0 && past[0].Before(now) {
		start = past[0]
	}
	b := policy.NewBucket(r, start)
	for _, at := range past {
		b.Take(at)
	}
	return b
}
