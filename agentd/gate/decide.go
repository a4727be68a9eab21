package gate

import (
	"cmp"
	"context"
	"errors"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
)

// decision is the verdict of stage 6 and the configuration it was made under.
type decision struct {
	policy.Verdict
	version int64 // since which the configuration decides as it does
	rules   int64 // of the owner's rules
	budgets policy.Budgets
	window  *openWindow // that lets the call through; nil: none was needed
	reply   *pipeline   // of a call that goes through because it answers whom it may answer; nil: it needs no such leave
	err     error
}

// errStale says that something a decision was made under ended before the act: the configuration changed, a window was closed,
// a key revoked, or other calls spent the budget.
var errStale = errors.New("what it was decided under changed meanwhile")

// decide is stage 6. The tool has to be visible under the very configuration that the decision is made under.
func (p *pipeline) decide(ctx context.Context) decision {
	s := p.config()
	if err := p.visibleUnder(s); err != nil {
		return decision{err: err}
	}
	m, rules := s.Rules()
	p.class = m.Lift(p.call.Tool, p.class) // the rules may have changed since it was classified
	in, budgets := p.policyInput(s), policy.BudgetsOf(m)
	var err error
	if in.Over, err = p.overBudget(ctx, budgets); err != nil {
		return decision{err: err}
	}
	replies, err := p.allowReply(ctx, &in)
	if err != nil {
		return decision{err: err}
	}
	v, by := policy.Decide(in), (*openWindow)(nil)
	if v.Effect == policy.Ask {
		open, err := p.openWindowsFor(ctx, p.call.Agent, p.call.Tool, policy.SameFor(p.class, p.call.Args, p.deps.Root))
		if err != nil {
			return decision{err: err}
		}
		v, by = decideWithWindows(in, v, open)
	}
	if v.Effect == policy.Ask {
		v.Why = p.withTaintSources(v.Why)
	}
	if v.Effect != policy.Allow && p.class.Table != "" {
		v.Why = "the owner's rules treat it as " + string(p.class.Tier) + ": " + v.Why
	}
	d := decision{Verdict: v, version: s.Policy(), rules: rules, budgets: budgets, window: by}
	if replies && v.Effect == policy.Allow {
		d.reply, d.Why = p, "the owner lets this agent answer, by this channel, whoever writes to it"
	}
	return d
}

// checkFresh answers errStale when the configuration or the window that d was made under is no longer in force in this
// transaction.
func (t txn) checkFresh(d decision) error {
	v, rules, err := config.VersionsTx(t.db, t.tx)
	if err != nil {
		return err
	}
	if v != d.version || rules != d.rules {
		return errStale
	}
	if d.reply != nil {
		if to, err := d.reply.replyTo(t.ctx, t.tx); err != nil || to == "" {
			return cmp.Or(err, errStale)
		}
	}
	if d.window == nil {
		return nil
	}
	return t.checkWindow(*d.window)
}
