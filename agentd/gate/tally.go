package gate

import (
	"context"
	"slices"
	"sync"

	"gatehouse/agentd/policy"
)

// maxTallies is how many trees are remembered.
const maxTallies = 512

// tallies count what each tree of runs has done. What they forget they count again from the records, so a restart
// gives no run a new budget.
type tallies struct {
	mu   sync.Mutex
	of   map[string]*tally
	tick int64
}

// tally is what one tree of runs has done.
type tally struct {
	ready   chan struct{} // closed when the records of the tree have been counted, or could not be
	counted bool
	err     error

	spent  policy.Spent      // since a person last looked at something of the kind, but for starts
	starts []start           // calls that start, in the order of their Writes
	calls  map[string][]seen // the last calls by run
	used   int64
}

func newTallies() *tallies { return &tallies{of: map[string]*tally{}} }

// load makes sure that the tally of a tree is there. Whoever comes first reads the records, the others wait for that.
// A tree counts no start before it has been read, and is not forgotten while one is on its way: so none is missed.
func (t *tallies) load(ctx context.Context, g *Gate, root string) error {
	one, first := t.join(root)
	if first {
		// The + keeps SQLite from going through every call without a root for the second half.
		all, err := recordsWhere(context.WithoutCancel(ctx), g.db.Read(), "root_run_id = ? OR (+root_run_id = '' AND run_id = ?)", root, root)
		t.fill(root, one, all, err)
	}
	select {
	case <-one.ready:
		return one.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join finds the tally of a tree, or makes one that is the caller's to fill.
func (t *tallies) join(root string) (one *tally, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one = t.of[root]
	if first = one == nil; first {
		one = &tally{ready: make(chan struct{}), calls: map[string][]seen{}}
		t.of[root] = one
		t.forget()
	}
	t.touch(one)
	return one, first
}

// fill counts what is on record of a tree.
func (t *tallies) fill(root string, one *tally, all []*callRecord, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(one.ready)
	if err != nil {
		one.err = err
		delete(t.of, root)
		return
	}
	one.replay(all)
	one.counted = true
}

// replay counts the calls on record as they came, and what they spent as they started.
func (t *tally) replay(all []*callRecord) {
	for _, r := range all {
		t.saw(r.Call.RunID, seen{r.Call.ID, r.loopKey(), r.resultHash()})
	}
	slices.SortStableFunc(all, func(a, b *callRecord) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, r := range all {
		if !r.StartedAt.IsZero() {
			t.spent = start{what: r.budgetUse(), looked: r.Approval != ""}.on(t.spent)
		}
	}
}

func (t *tallies) touch(one *tally) {
	t.tick++
	one.used = t.tick
}

// forget drops the trees that were quiet the longest when there are too many, but none that is at work. It drops half of
// them, so that it seldom has to look: no two trees were used at the same tick.
func (t *tallies) forget() {
	if len(t.of) <= maxTallies {
		return
	}
	for root, one := range t.of {
		if one.counted && len(one.starts) == 0 && one.used <= t.tick-maxTallies/2 {
			delete(t.of, root)
		}
	}
}

// with runs fn on the tally of a tree, if it is there.
func (t *tallies) with(root string, fn func(*tally)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.of[root]; one != nil && one.counted {
		t.touch(one)
		fn(one)
	}
}

func (r *callRecord) rootRun() string {
	if r.Call.RootRunID != "" {
		return r.Call.RootRunID
	}
	return r.Call.RunID
}
