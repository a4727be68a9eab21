package gate

import (
	"context"
	"time"

	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
)

// checkLimits is stage 4: a call beyond a limit is refused before anyone is asked.
func (p *pipeline) checkLimits(ctx context.Context) error {
	if p.class.Tier == policy.Forbidden {
		return nil // refused by the rules, with their reason
	}
	if over := p.checkResources(); over != nil {
		return p.refuseOverLimit(over)
	}
	if err := p.loadTree(ctx); err != nil {
		return err
	}
	over := p.trees.Begin(p.call.budgetRoot(), p.call.RunID, p.call.ID, loopKey(p.call.Tool, p.rawArgsHash))
	if over == nil {
		over = limit.Depth(p.call.Tool, p.call.Depth)
	}
	if over == nil {
		over = p.checkTierRate()
	}
	if over == nil && limit.Hands(p.call.Tool) {
		bound := limit.Bound{Rate: limit.Handing}
		over = limit.TierRate(limit.Handing, p.rates.Take("\x00hands\x00"+p.call.Agent, 0, bound, nil, p.clock.now()))
	}
	if over != nil {
		return p.refuseOverLimit(over)
	}
	return p.checkRuleLimits(ctx)
}

// refuseOverLimit refuses a call that is beyond a limit, with its receipt.
func (p *pipeline) refuseOverLimit(e *limit.Exceeded) error {
	body := map[string]any{"limit": e.Kind, "why": e.Why}
	if e.After > 0 {
		body["retry_after_s"] = e.RetryAfter()
	}
	p.receipts = append(p.receipts, p.newReceipt("call.limited", body))
	return &refusal{"limits", e.Why, e.Message()}
}

// checkResources refuses what the machine has no room for.
func (p *pipeline) checkResources() *limit.Exceeded {
	if p.deps.Machine == nil {
		return nil
	}
	return limit.Resources(p.deps.Machine.Left(), p.class, p.def.Programs)
}

// checkTierRate holds each agent with each tool to the usual rate of the tier.
func (p *pipeline) checkTierRate() *limit.Exceeded {
	r := policy.UsualRate(p.class.Tier)
	if r.IsZero() {
		return nil
	}
	key := "\x00" + string(p.class.Tier) + "\x00" + p.call.Agent + "\x00" + p.call.Tool
	return limit.TierRate(r, p.rates.Take(key, 0, limit.Bound{Rate: r}, nil, p.clock.now()))
}

// checkRuleLimits holds a call to the limits of the owner's rules that match it.
func (p *pipeline) checkRuleLimits(ctx context.Context) error {
	m, version := p.rules()
	p.limitsVersion = version
	for _, l := range m.Judge(p.ruleSubject()).Limits {
		over := limit.Hours(l, p.clock.now())
		if over == nil {
			var err error
			if over, err = p.takeRuleRate(ctx, l, version); err != nil {
				return err
			}
		}
		if over != nil {
			return p.refuseOverLimit(over)
		}
	}
	return nil
}

// recheckRuleLimits holds a call to the rules that it was decided under when others were in force at stage 4. Its start is
// refused as stale when these change too, so a call never starts beyond the limits in force.
func (p *pipeline) recheckRuleLimits(ctx context.Context, d decision) error {
	if d.Effect == policy.Deny || d.rules == p.limitsVersion {
		return nil
	}
	return p.checkRuleLimits(ctx)
}

// takeRuleRate takes the call out of a rule's bucket.
func (p *pipeline) takeRuleRate(ctx context.Context, l policy.RuleLimits, version int64) (*limit.Exceeded, error) {
	bound := limit.BoundOf(l)
	if bound.IsZero() {
		return nil, nil
	}
	now := p.clock.now()
	key := l.Rule + "\x00" + p.call.Agent + "\x00" + p.call.Tool
	var past []time.Time
	if !p.rates.Has(key, version) {
		var err error
		if past, err = p.recentCalls(ctx, l, now, func(*callRecord) bool { return true }); err != nil {
			return nil, err
		}
	}
	return limit.RuleRate(l, p.rates.Take(key, version, bound, past, now)), nil
}

// loadTree makes sure that the tree of runs of this call is counted.
func (p *pipeline) loadTree(ctx context.Context) error {
	root := p.call.budgetRoot()
	return p.trees.Load(ctx, root, func() ([]limit.Record, error) {
		// The + keeps SQLite from going through every call without a root for the second half. The last part are sub-agents.
		const ofTree = `root_run_id = ?1 OR (+root_run_id = '' AND run_id = ?1)
			OR root_run_id IN (SELECT id FROM runs WHERE budget_root = ?1)`
		all, err := recordsWhere(context.WithoutCancel(ctx), p.db.Read(), ofTree, root)
		counted := make([]limit.Record, 0, len(all))
		for _, r := range all {
			counted = append(counted, r.asCounted())
		}
		return counted, err
	})
}

// overBudget names the budget of its tree that the call would exceed; empty: none.
func (p *pipeline) overBudget(ctx context.Context, b policy.Budgets) (string, error) {
	spent := budgetUse(p.class, p.facts)
	if spent == (policy.Spent{}) {
		return "", nil
	}
	for {
		if err := p.loadTree(ctx); err != nil {
			return "", err
		}
		if why, loaded := p.trees.OverBudget(p.call.budgetRoot(), b, spent); loaded { // else it was forgotten in between
			return why, nil
		}
	}
}

// countEnd notes the result of a call, so that a loop is noticed.
func (g *Gate) countEnd(r *callRecord) {
	g.trees.End(r.Call.budgetRoot(), r.Call.RunID, r.Call.ID, r.resultHash())
}
