package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

const (
	loopWindow = 30 // calls of a run in which a repeated one is noticed
	loopMost   = 6  // times that a call may have had the same result among them
	maxTallies = 512
)

// tallies count what each tree of runs has done. What they forget they count again from the records, so a restart
// gives no run a new budget.
type tallies struct {
	mu   sync.Mutex
	of   map[string]*tally
	tick int64
}

// tally is what one tree of runs has done.
type tally struct {
	spent policy.Spent      // since a person last looked at something of the kind
	calls map[string][]seen // the last calls by run
	used  int64
}

// seen is a call of a run and what came of it; result is empty while it is on its way.
type seen struct{ id, key, result string }

func newTallies() *tallies { return &tallies{of: map[string]*tally{}} }

// load makes sure that the tally of a tree is there.
func (t *tallies) load(ctx context.Context, g *Gate, root string) error {
	t.mu.Lock()
	_, known := t.of[root]
	t.mu.Unlock()
	if known {
		return nil
	}
	// The + keeps SQLite from going through every call without a root for the second half.
	all, err := recordsWhere(ctx, g.d.DB.Read(), "root_run_id = ? OR (+root_run_id = '' AND run_id = ?)", root, root)
	if err != nil {
		return err
	}
	made := &tally{calls: map[string][]seen{}}
	for _, r := range all {
		made.replay(r)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, raced := t.of[root]; !raced {
		t.of[root] = made
		t.touch(made)
		t.forget()
	}
	return nil
}

// replay counts a call that is on record.
func (t *tally) replay(r *record) {
	t.saw(r.Call.RunID, seen{r.Call.ID, r.key(), r.resultHash()})
	if !r.StartedAt.IsZero() {
		t.count(r.spends(), r.Approval != "")
	}
}

// count adds what a call that starts spends, or begins anew where a person has just looked.
func (t *tally) count(s policy.Spent, looked bool) {
	if looked {
		t.spent = t.spent.Looked(s)
		return
	}
	t.spent = t.spent.Add(s)
}

func (t *tally) saw(run string, s seen) {
	last := append(t.calls[run], s)
	t.calls[run] = last[max(0, len(last)-loopWindow):]
}

func (t *tallies) touch(one *tally) {
	t.tick++
	one.used = t.tick
}

// forget drops the tree that was quiet the longest when there are too many.
func (t *tallies) forget() {
	if len(t.of) <= maxTallies {
		return
	}
	oldest := ""
	for root, one := range t.of {
		if oldest == "" || one.used < t.of[oldest].used {
			oldest = root
		}
	}
	delete(t.of, oldest)
}

// with runs fn on the tally of a tree, if it is there.
func (t *tallies) with(root string, fn func(*tally)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.of[root]; one != nil {
		t.touch(one)
		fn(one)
	}
}

// spent is what a tree has used of its budgets.
func (t *tallies) spent(root string) (s policy.Spent) {
	t.with(root, func(one *tally) { s = one.spent })
	return s
}

// comes notes that a call is on its way, and says how often it had the same result before among the last ones.
func (t *tallies) comes(root, run, id, key string) (same int) {
	t.with(root, func(one *tally) {
		counts := map[string]int{}
		for _, s := range one.calls[run] {
			if s.key == key && s.result != "" {
				counts[s.result]++
				same = max(same, counts[s.result])
			}
		}
		one.saw(run, seen{id: id, key: key})
	})
	return same
}

// ends notes what came of a call.
func (t *tallies) ends(r *record) {
	t.with(r.root(), func(one *tally) {
		for i, s := range one.calls[r.Call.RunID] {
			if s.id == r.Call.ID {
				one.calls[r.Call.RunID][i].result = r.resultHash()
			}
		}
	})
}

// starts counts a call whose intent is durable.
func (t *tallies) starts(r *record, looked bool) {
	t.with(r.root(), func(one *tally) { one.count(r.spends(), looked) })
}

func (r *record) root() string {
	if r.Call.RootRunID != "" {
		return r.Call.RootRunID
	}
	return r.Call.RunID
}

// key is the same for calls that ask for the same.
func (r *record) key() string { return r.Call.Tool + " " + r.AskedHash }

func (r *record) resultHash() string {
	if !r.ended() {
		return ""
	}
	return string(r.State) + " " + rawHash([]byte(r.Text))
}

func (r *record) spends() policy.Spent {
	p := pass{facts: r.Facts, class: r.Class}
	return p.spends()
}

// buckets hold the rates of agents and tools.
type buckets struct {
	mu sync.Mutex
	of map[string]*policy.Bucket
}

func newBuckets() *buckets { return &buckets{of: map[string]*policy.Bucket{}} }

// take takes a call out of a bucket that has one, or says how long to wait. fill makes a bucket that is not there.
func (b *buckets) take(key string, r policy.Rate, cooldown time.Duration, now time.Time, fill func() *policy.Bucket) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.of[key]
	if one == nil || one.Rate != r {
		one = fill()
		b.of[key] = one
	}
	wait := time.Duration(0)
	if !r.IsZero() {
		wait = one.Wait(now)
	}
	if since, ok := one.Since(now); ok && since < cooldown {
		wait = max(wait, cooldown-since)
	}
	if wait == 0 {
		one.Take(now)
	}
	return wait
}

// has says whether a bucket of this rate is there.
func (b *buckets) has(key string, r policy.Rate) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.of[key]
	return one != nil && one.Rate == r
}

// recent are the times of the calls since then, oldest first, that a rule counts for an agent and a tool.
func (g *Gate) recent(ctx context.Context, rule, agent, tool string, since time.Time) ([]time.Time, error) {
	records, err := recordsWhere(ctx, g.d.DB.Read(), "created_at > ? AND agent = ? AND tool = ? AND state NOT IN (?, ?)",
		since.UnixMicro(), agent, tool, string(wire.ToolDenied), string(wire.ToolStopped))
	if err != nil {
		return nil, err
	}
	m, _ := g.d.Rules.State().Rules()
	var all []time.Time
	for _, r := range records {
		p := pass{g: g, c: r.Call, class: r.Class, facts: r.Facts}
		if slices.ContainsFunc(m.Judge(p.subject()).Limits, func(l policy.RuleLimits) bool { return l.Rule == rule }) {
			all = append(all, r.CreatedAt)
		}
	}
	return all, nil
}
