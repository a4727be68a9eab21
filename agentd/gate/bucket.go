package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// buckets hold the rates of agents and tools.
type buckets struct {
	mu sync.Mutex
	of map[string]bucket
}

// bucket is one of a version of the rules: other rules fill theirs from the records.
type bucket struct {
	*policy.Bucket
	rules int64
}

func newBuckets() *buckets { return &buckets{of: map[string]bucket{}} }

// take takes a call out of a bucket that has one, or says how long to wait. fill makes a bucket that is not there. A
// call that comes under older rules than the bucket's takes nothing: it is held to the newer ones when it is decided.
func (b *buckets) take(key string, rules int64, r policy.Rate, cooldown time.Duration, now time.Time, fill func() *policy.Bucket) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, ok := b.of[key]
	if ok && one.rules > rules {
		return 0
	}
	if !ok || one.rules < rules {
		one = bucket{fill(), rules}
		b.of[key] = one
	}
	wait := waitFor(one.Bucket, r, cooldown, now)
	if wait == 0 {
		one.Take(now)
	}
	return wait
}

// waitFor is how long until a bucket gives the next call, and the cooldown since its last one is over; 0: now.
func waitFor(b *policy.Bucket, r policy.Rate, cooldown time.Duration, now time.Time) (wait time.Duration) {
	if !r.IsZero() {
		wait = b.Wait(now)
	}
	if since, ok := b.Since(now); ok && since < cooldown {
		wait = max(wait, cooldown-since)
	}
	return wait
}

// has says whether a bucket of these rules, or of newer ones, is there.
func (b *buckets) has(key string, rules int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, ok := b.of[key]
	return ok && one.rules >= rules
}

// recentCalls are the times of the calls, oldest first, that a rule still counts for an agent and a tool, of those that fit.
func (g *Gate) recentCalls(ctx context.Context, l policy.RuleLimits, agent, tool string, now time.Time, fits func(*callRecord) bool) ([]time.Time, error) {
	since := now.Add(-max(l.Rate.Per, time.Duration(l.Cooldown)))
	records, err := recordsWhere(ctx, g.db.Read(), "created_at > ? AND agent = ? AND tool = ? AND state NOT IN (?, ?)",
		since.UnixMicro(), agent, tool, string(wire.ToolDenied), string(wire.ToolStopped))
	if err != nil {
		return nil, err
	}
	m, _ := g.rules()
	var all []time.Time
	for _, r := range records {
		if fits(r) && g.ruleCounts(m, r, l.Rule) {
			all = append(all, r.CreatedAt)
		}
	}
	return all, nil
}

// ruleCounts says whether a rule counts a call, as the call is on record.
func (g *Gate) ruleCounts(m *policy.Manifest, r *callRecord, rule string) bool {
	p := pipeline{Gate: g, call: r.Call, class: r.Class, facts: r.Facts}
	return slices.ContainsFunc(m.Judge(p.ruleSubject()).Limits, func(l policy.RuleLimits) bool { return l.Rule == rule })
}
