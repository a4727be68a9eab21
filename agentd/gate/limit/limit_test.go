package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/policy"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// nothing is a tree without records.
func nothing() ([]limit.Record, error) { return nil, nil }

// loaded gives trees of which "root" is counted from records.
func loaded(t *testing.T, all ...limit.Record) *limit.Trees {
	t.Helper()
	trees := limit.NewTrees()
	if err := trees.Load(t.Context(), "root", func() ([]limit.Record, error) { return all, nil }); err != nil {
		t.Fatal(err)
	}
	return trees
}

// TestRates_restart: a bucket is filled as the calls on record leave it, so a restart gives no call more.
func TestRates_restart(t *testing.T) {
	t.Parallel()
	b := limit.Bound{Rate: policy.Rate{Calls: 2, Per: time.Hour}}
	before := limit.NewRates()
	for i, want := range []bool{true, true, false} {
		if wait := before.Take("k", 1, b, nil, noon); (wait == 0) != want {
			t.Errorf("call %d waits %s", i, wait)
		}
	}
	after := limit.NewRates()
	if wait := after.Take("k", 1, b, []time.Time{noon, noon}, noon); wait == 0 {
		t.Error("the restart filled the bucket")
	}
	if wait := b.Wait([]time.Time{noon, noon}, noon); wait != after.Take("k", 1, b, nil, noon) {
		t.Errorf("the bound alone says %s", wait)
	}
}

// TestRates_versions: other rules make a new bucket; a call under older rules takes nothing from it.
func TestRates_versions(t *testing.T) {
	t.Parallel()
	b := limit.Bound{Rate: policy.Rate{Calls: 1, Per: time.Hour}}
	r := limit.NewRates()
	if r.Has("k", 2) || r.Take("k", 2, b, nil, noon) != 0 || !r.Has("k", 1) || !r.Has("k", 2) || r.Has("k", 3) {
		t.Error("the bucket of version 2 is not there, or the one of version 3 is")
	}
	if wait := r.Take("k", 1, b, nil, noon); wait != 0 {
		t.Errorf("under older rules: %s", wait)
	}
	if wait := r.Take("k", 2, b, nil, noon); wait == 0 {
		t.Error("under the same rules: no wait")
	}
	if wait := r.Take("k", 3, b, nil, noon); wait != 0 {
		t.Errorf("under newer rules: %s", wait)
	}
}

func TestBound_cooldown(t *testing.T) {
	t.Parallel()
	b := limit.BoundOf(policy.RuleLimits{Limits: policy.Limits{Cooldown: policy.Duration(time.Minute)}})
	r := limit.NewRates()
	for _, step := range []struct{ at, want time.Duration }{{0, 0}, {20 * time.Second, 40 * time.Second}, {time.Minute, 0}} {
		if wait := r.Take("k", 0, b, nil, noon.Add(step.at)); wait != step.want {
			t.Errorf("after %s: %s, want %s", step.at, wait, step.want)
		}
	}
}

// TestBegin: the seventh call with the same result among the last thirty of a run is refused, also after a restart.
func TestBegin(t *testing.T) {
	t.Parallel()
	var past []limit.Record
	trees := loaded(t)
	for i := range 7 {
		id := fmt.Sprint(i)
		over := trees.Begin("root", "run", id, "read a")
		if (over != nil) != (i == 6) {
			t.Errorf("call %d: %v", i, over)
		}
		trees.End("root", "run", id, "the same")
		past = append(past, limit.Record{ID: id, Run: "run", Key: "read a", Result: "the same"})
	}
	again := loaded(t, past...)
	if over := again.Begin("root", "run", "7", "read a"); over == nil || over.Kind != "loop" || over.RetryAfter() != 0 {
		t.Errorf("after a restart: %v", over)
	}
	if over := again.Begin("root", "other run", "8", "read a"); over != nil {
		t.Errorf("of another run: %v", over)
	}
	for i := range limit.LoopWindow {
		again.Begin("root", "run", fmt.Sprint("n", i), "another call")
	}
	if over := again.Begin("root", "run", "9", "read a"); over != nil {
		t.Errorf("beyond the window: %v", over)
	}
}

// TestClaim: starts that are on their way count for each other; one that was not kept gives back what it took.
func TestClaim(t *testing.T) {
	t.Parallel()
	b := policy.Budgets{Deletes: 2}
	trees := loaded(t, limit.Record{ID: "old", StartedAt: noon, Spent: policy.Spent{Deletes: 1}})
	one := func(id string) limit.Start { return limit.Start{ID: id, Spent: policy.Spent{Deletes: 1}} }
	for try := range 2 {
		if !trees.Claim("root", one("a"), b) {
			t.Errorf("try %d: a does not fit", try)
		}
	}
	if trees.Claim("root", one("b"), b) {
		t.Error("b fits beside a")
	}
	trees.Settle("root", "a", false)
	if !trees.Claim("root", one("b"), b) {
		t.Error("b does not fit after a was not kept")
	}
	trees.Settle("root", "b", true)
	if why, known := trees.OverBudget("root", b, policy.Spent{Deletes: 1}); why == "" || !known {
		t.Errorf("after two: %q, %v", why, known)
	}
	looked := one("c")
	looked.Looked = true
	if !trees.Claim("root", looked, b) {
		t.Error("a call that a person has looked at does not fit")
	}
	if trees.Claim("root", one("d"), b) {
		t.Error("the look gave something back before it was durable")
	}
	trees.Settle("root", "c", true)
	if why, _ := trees.OverBudget("root", b, policy.Spent{Deletes: 1}); why != "" {
		t.Errorf("after a person looked: %s", why)
	}
	if trees.Claim("unknown", one("e"), b) {
		t.Error("a tree that is not loaded counts a start")
	}
}

// TestLoad: a tree whose records could not be read is read again, and a caller that gives up does not wait.
func TestLoad(t *testing.T) {
	t.Parallel()
	trees, broken := limit.NewTrees(), errors.New("on purpose")
	if err := trees.Load(t.Context(), "root", func() ([]limit.Record, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("unreadable: %v", err)
	}
	if err := trees.Load(t.Context(), "root", nothing); err != nil {
		t.Errorf("read again: %v", err)
	}
	gone, stop := context.WithCancel(t.Context())
	err := trees.Load(t.Context(), "slow", func() ([]limit.Record, error) {
		stop()
		if err := trees.Load(gone, "slow", nothing); !errors.Is(err, context.Canceled) {
			t.Errorf("beside one that reads: %v", err)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLoad_forgets: of very many trees the quiet ones are forgotten, but none with a start on its way.
func TestLoad_forgets(t *testing.T) {
	t.Parallel()
	trees := loaded(t)
	b, s := policy.Budgets{Deletes: 5}, limit.Start{ID: "a", Spent: policy.Spent{Deletes: 1}}
	if !trees.Claim("root", s, b) {
		t.Fatal("the start does not fit")
	}
	for i := range 600 {
		if err := trees.Load(t.Context(), fmt.Sprint(i), nothing); err != nil {
			t.Fatal(err)
		}
	}
	for root, want := range map[string]bool{"root": true, "0": false, "599": true} {
		if _, known := trees.OverBudget(root, b, s.Spent); known != want {
			t.Errorf("tree %s is known: %v", root, known)
		}
	}
}

func TestExceeded(t *testing.T) {
	t.Parallel()
	night := policy.RuleLimits{Limits: policy.Limits{Hours: &policy.Hours{From: "22:00", To: "06:00", Zone: "UTC"}}}
	rate := policy.RuleLimits{Rule: "r", Limits: policy.Limits{Rate: policy.Rate{Calls: 1, Per: time.Hour}}}
	full := policy.Left{State: policy.Disk{Free: 1, Total: 1 << 30}}
	for what, c := range map[string]struct {
		got  *limit.Exceeded
		kind string
		text string
	}{
		"deep enough":      {limit.Depth("agent_dispatch", limit.MaxDepth-1), "", ""},
		"too deep":         {limit.Depth("agent_dispatch", limit.MaxDepth), "depth", "handed on 5 times"},
		"another tool":     {limit.Depth("shell", limit.MaxDepth), "", ""},
		"any hour":         {limit.Hours(policy.RuleLimits{}, noon), "", ""},
		"at noon":          {limit.Hours(night, noon), "hours", "Try again in 10h0m0s."},
		"at night":         {limit.Hours(night, noon.Add(11*time.Hour)), "", ""},
		"no wait":          {limit.RuleRate(rate, 0), "", ""},
		"a rate":           {limit.RuleRate(rate, 1500*time.Millisecond), "rate", "Try again in 2s."},
		"a cooldown":       {limit.RuleRate(policy.RuleLimits{Rule: "r"}, time.Second), "cooldown", "Try again in 1s."},
		"of the tier":      {limit.TierRate(rate.Rate, time.Second), "rate", "tried too often"},
		"of the tier, not": {limit.TierRate(rate.Rate, 0), "", ""},
		"room":             {limit.Resources(policy.Left{}, policy.Class{Tier: policy.Red}, false), "", ""},
		"a read":           {limit.Resources(full, policy.Class{Tier: policy.Green}, false), "", ""},
		"a full disk":      {limit.Resources(full, policy.Class{Tier: policy.Red}, false), "resources", "Try again in 1m0s."},
	} {
		switch {
		case c.kind == "" && c.got != nil:
			t.Errorf("%s: %v", what, c.got)
		case c.kind != "" && (c.got == nil || c.got.Kind != c.kind || !strings.Contains(c.got.Message(), c.text)):
			t.Errorf("%s: %v, want %s with %q", what, c.got, c.kind, c.text)
		}
	}
}
