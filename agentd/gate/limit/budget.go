package limit

import (
	"slices"

	"gatehouse/agentd/policy"
)

// Start is what a call that starts spends of the budgets of its tree. It counts from its write on, where it was compared.
type Start struct {
	ID      string // of the call
	Spent   policy.Spent
	Looked  bool // a person has looked at the call
	durable bool
}

// on is what has been spent once the call has started too.
func (s Start) on(spent policy.Spent) policy.Spent {
	if s.Looked {
		return spent.Looked(s.Spent)
	}
	return spent.Add(s.Spent)
}

// total is what the tree has spent, including starts on their way. A call that a person has looked at gives nothing back
// before its start is durable.
func (t *tree) total() policy.Spent {
	spent := t.spent
	for _, s := range t.starts {
		if s.durable || !s.Looked {
			spent = s.on(spent)
		}
	}
	return spent
}

func (t *tree) drop(id string) {
	t.starts = slices.DeleteFunc(t.starts, func(s Start) bool { return s.ID == id })
}

// OverBudget names the budget that a call of a tree would exceed; empty: none. It reports false when the tree is not loaded.
func (t *Trees) OverBudget(root string, b policy.Budgets, s policy.Spent) (why string, loaded bool) {
	loaded = t.with(root, func(one *tree) { why = b.Over(one.total(), s) })
	return why, loaded
}

// Claim counts a start and reports true if it fits into what its tree has spent by now. It belongs into the write of the
// start, as the last step: then only the commit can undo what it has counted. A write that runs again claims again. A tree
// that was forgotten answers false: it is loaded again for the next decision.
func (t *Trees) Claim(root string, s Start, b policy.Budgets) (fits bool) {
	if s.Spent == (policy.Spent{}) {
		return true
	}
	t.with(root, func(one *tree) {
		one.drop(s.ID)
		if s.Looked || b.Over(one.total(), s.Spent) == "" {
			one.starts = append(one.starts, s)
			fits = true
		}
	})
	return fits
}

// Settle ends a claim: the start is durable, or nothing of it was kept.
func (t *Trees) Settle(root, id string, durable bool) {
	t.with(root, func(one *tree) {
		if !durable {
			one.drop(id)
		}
		for i := range one.starts {
			one.starts[i].durable = one.starts[i].durable || one.starts[i].ID == id
		}
		for len(one.starts) > 0 && one.starts[0].durable {
			one.spent = one.starts[0].on(one.spent)
			one.starts = one.starts[1:]
		}
	})
}
