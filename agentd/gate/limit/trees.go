package limit

import (
	"context"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/policy"
)

// maxTrees is how many trees of runs are remembered.
const maxTrees = 512

// Trees counts what each tree of runs has done. It counts what it has forgotten again from the records, so a restart gives
// no run a new budget.
type Trees struct {
	mu    sync.Mutex
	trees map[string]*tree // by root run
	tick  int64
}

// NewTrees makes an empty count.
func NewTrees() *Trees { return &Trees{trees: map[string]*tree{}} }

// tree is what one tree of runs has done.
type tree struct {
	ready  chan struct{} // closed when the records of the tree were counted, or could not be
	loaded bool
	err    error

	spent  policy.Spent      // since a person last looked at something of the kind, without starts
	starts []Start           // calls that start, in the order of their writes
	calls  map[string][]call // the last calls by run
	used   int64             // tick of the last use
}

// Record is a call on record.
type Record struct {
	ID, Run   string
	Key       string // the same for calls that ask for the same
	Result    string // empty while the call has not ended
	StartedAt time.Time
	Spent     policy.Spent
	Looked    bool // a person has looked at the call
}

// Load makes sure that a tree is counted. The first caller reads its records, oldest first; the others wait for that. A tree
// counts no start before it is loaded and is not forgotten while one is on its way, so none is missed.
func (t *Trees) Load(ctx context.Context, root string, read func() ([]Record, error)) error {
	one, first := t.join(root)
	if first {
		all, err := read()
		t.fill(root, one, all, err)
	}
	select {
	case <-one.ready:
		return one.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join finds a tree, or makes one that the caller must fill.
func (t *Trees) join(root string) (one *tree, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one = t.trees[root]
	if first = one == nil; first {
		one = &tree{ready: make(chan struct{}), calls: map[string][]call{}}
		t.trees[root] = one
		t.forget()
	}
	t.touch(one)
	return one, first
}

// fill counts the records of a tree.
func (t *Trees) fill(root string, one *tree, all []Record, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(one.ready)
	if err != nil {
		one.err = err
		delete(t.trees, root)
		return
	}
	one.replay(all)
	one.loaded = true
}

// replay counts the calls in the order of their records, and what they spent in the order of their starts.
func (t *tree) replay(all []Record) {
	for _, r := range all {
		t.add(r.Run, call{r.ID, r.Key, r.Result})
	}
	slices.SortStableFunc(all, func(a, b Record) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, r := range all {
		if !r.StartedAt.IsZero() {
			t.spent = Start{Spent: r.Spent, Looked: r.Looked}.on(t.spent)
		}
	}
}

func (t *Trees) touch(one *tree) {
	t.tick++
	one.used = t.tick
}

// forget drops the trees that were quiet the longest when there are too many, but none that is at work. It drops half of
// them so that it seldom has to look: no two trees were used at the same tick.
func (t *Trees) forget() {
	if len(t.trees) <= maxTrees {
		return
	}
	for root, one := range t.trees {
		if one.loaded && len(one.starts) == 0 && one.used <= t.tick-maxTrees/2 {
			delete(t.trees, root)
		}
	}
}

// with runs fn on a tree and reports whether the tree was there.
func (t *Trees) with(root string, fn func(*tree)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.trees[root]
	if one == nil || !one.loaded {
		return false
	}
	t.touch(one)
	fn(one)
	return true
}
