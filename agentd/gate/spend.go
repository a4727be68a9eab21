package gate

import (
	"context"
	"slices"

	"gatehouse/agentd/policy"
)

// start is what a call that starts spends of the budgets of its tree. It counts from its Write on, for it is there
// that it was compared.
type start struct {
	id      string // of the call
	what    policy.Spent
	looked  bool // a person has looked at the call
	durable bool
}

// on is what has been spent once the call has started, too.
func (s start) on(spent policy.Spent) policy.Spent {
	if s.looked {
		return spent.Looked(s.what)
	}
	return spent.Add(s.what)
}

// total is what the tree has spent, with what is on its way. What a person has looked at gives nothing back before it
// is durable.
func (t *tally) total() policy.Spent {
	spent := t.spent
	for _, s := range t.starts {
		if s.durable || !s.looked {
			spent = s.on(spent)
		}
	}
	return spent
}

func (t *tally) drop(id string) {
	t.starts = slices.DeleteFunc(t.starts, func(s start) bool { return s.id == id })
}

// claim counts a start, if it fits into what its tree has spent by now; else the decision is stale. It belongs into
// the Write of the start, as its last step: nothing but the commit can then undo what it has counted. A Write that
// runs again claims again.
func (t *tallies) claim(root string, s start, budgets policy.Budgets) error {
	if s.what == (policy.Spent{}) {
		return nil
	}
	err := errStale // also when the tree was forgotten: it is read anew for the next decision
	t.with(root, func(one *tally) {
		one.drop(s.id)
		if s.looked || budgets.Over(one.total(), s.what) == "" {
			one.starts = append(one.starts, s)
			err = nil
		}
	})
	return err
}

// settle ends a claim: the start is durable, or nothing of it was kept.
func (t *tallies) settle(root, id string, durable bool) {
	t.with(root, func(one *tally) {
		if !durable {
			one.drop(id)
		}
		for i := range one.starts {
			one.starts[i].durable = one.starts[i].durable || one.starts[i].id == id
		}
		for len(one.starts) > 0 && one.starts[0].durable {
			one.spent = one.starts[0].on(one.spent)
			one.starts = one.starts[1:]
		}
	})
}

// overBudget says which budget of its tree the call would exceed; empty: none.
func (p *pipeline) overBudget(ctx context.Context, b policy.Budgets) (string, error) {
	what := p.budgetUse()
	if what == (policy.Spent{}) {
		return "", nil
	}
	for {
		if err := p.tallies.load(ctx, p.Gate, p.rootRun()); err != nil {
			return "", err
		}
		why, known := "", false
		p.tallies.with(p.rootRun(), func(one *tally) { why, known = b.Over(one.total(), what), true })
		if known { // else it was forgotten in between
			return why, nil
		}
	}
}

func (p *pipeline) budgetUse() policy.Spent {
	files, bytes := p.measuredSize()
	return policy.SpendOf(p.class, files, bytes)
}

func (r *callRecord) budgetUse() policy.Spent {
	p := pipeline{facts: r.Facts, class: r.Class}
	return p.budgetUse()
}
