package gate

import (
	"context"
	"errors"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
)

// decision is the verdict of stage 6 and the configuration it was made under.
type decision struct {
	policy.Verdict
	version int64 // of the configuration
	rules   int64 // of the owner's rules
	budgets policy.Budgets
	window  *window // that lets the call through; nil: none has to
	err     error
}

// errStale says that between a decision and the act something ended that it was made under: the configuration changed, a
// window was closed, a key revoked, or other calls spent the budget.
var errStale = errors.New("what it was decided under changed meanwhile")

// decide is stage 6.
func (p *pass) decide(ctx context.Context) decision {
	s := p.g.d.Rules.State()
	m, rules := s.Rules()
	p.class = m.Lift(p.c.Tool, p.class) // the rules may have changed since it was judged
	in, budgets := p.input(s), policy.BudgetsOf(m)
	var err error
	if in.Over, err = p.overspends(ctx, budgets); err != nil {
		return decision{err: err}
	}
	v, by := policy.Decide(in), (*window)(nil)
	if v.Effect == policy.Ask {
		open, err := p.g.windows(ctx, p.c.Agent, p.c.Tool, policy.SameFor(p.class, p.c.Args, p.g.d.Root))
		if err != nil {
			return decision{err: err}
		}
		v, by = through(in, v, open)
	}
	if v.Effect == policy.Ask {
		v.Why = p.named(v.Why)
	}
	if v.Effect != policy.Allow && p.class.Table != "" {
		v.Why = "the owner's rules treat it as " + string(p.class.Tier) + ": " + v.Why
	}
	return decision{Verdict: v, version: s.Version(), rules: rules, budgets: budgets, window: by}
}

// fresh answers errStale when d was made under a configuration that is no longer in force in this transaction, or by a
// window that is no longer open in it.
func (ch change) fresh(d decision) error {
	v, rules, err := config.VersionsTx(ch.g.d.DB, ch.tx)
	if err != nil {
		return err
	}
	if v != d.version || rules != d.rules {
		return errStale
	}
	if d.window == nil {
		return nil
	}
	return ch.open(*d.window)
}
