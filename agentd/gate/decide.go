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
	err     error
}

// errStale says that the configuration changed between a decision and the act.
var errStale = errors.New("the configuration changed meanwhile")

// decide is stage 6.
func (p *pass) decide(ctx context.Context) decision {
	s := p.g.d.Rules.State()
	_, rules := s.Rules()
	in := p.input(s)
	v := policy.Decide(in)
	if v.Effect == policy.Ask {
		open, err := p.g.windows(ctx, p.c.Agent, p.c.Tool, policy.SameFor(p.class, p.c.Args, p.g.d.Root))
		if err != nil {
			return decision{err: err}
		}
		v = through(in, v, open)
	}
	if v.Effect == policy.Ask {
		v.Why = p.named(v.Why)
	}
	return decision{Verdict: v, version: s.Version(), rules: rules}
}

// through decides again with each open window, until one lets the call through.
func through(in policy.Input, v policy.Verdict, open []window) policy.Verdict {
	for _, w := range open {
		in.Window, in.WindowTainted = w.tier, w.tainted
		if again := policy.Decide(in); again.Effect == policy.Allow {
			return again
		}
	}
	return v
}

// fresh answers errStale when d was made under a configuration that is no longer in force in this transaction.
func (ch change) fresh(d decision) error {
	v, rules, err := config.VersionsTx(ch.g.d.DB, ch.tx)
	if err != nil {
		return err
	}
	if v != d.version || rules != d.rules {
		return errStale
	}
	return nil
}
