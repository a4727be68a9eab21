package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/agentd/llm/budget"
)

// book answers what a test put into it.
type book struct {
	spent []budget.Spent
	err   error
	asked int
}

func (b *book) Spent(context.Context, time.Time, time.Time) ([]budget.Spent, error) {
	b.asked++
	return b.spent, b.err
}

var start = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func pool(tokens int64) *budget.Pool {
	return &budget.Pool{From: start.AddDate(0, 0, -5), To: start.AddDate(0, 1, -5), Tokens: tokens}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	spent := []budget.Spent{
		{Agent: "a", Model: "m", Use: budget.Use{Input: 600}},
		{Agent: "b", Model: "gold", Use: budget.Use{Input: 5000}},
	}
	for name, c := range map[string]struct {
		limits budget.Limits
		agent  string
		model  string
		most   int64
		want   budget.Which // empty: it goes
	}{
		"nothing set":               {budget.Limits{}, "a", "m", 1 << 40, ""},
		"the rest of the pool":      {budget.Limits{Pool: pool(1000)}, "a", "m", 400, ""},
		"more than the pool":        {budget.Limits{Pool: pool(1000)}, "a", "m", 401, budget.OfPool},
		"premium draws on no pool":  {budget.Limits{Pool: pool(1000), Premium: []string{"gold"}}, "a", "gold", 5000, ""},
		"premium was no pool's":     {budget.Limits{Pool: pool(1000), Premium: []string{"gold"}}, "a", "m", 400, ""},
		"on beyond the pool":        {budget.Limits{Pool: pool(1000), Beyond: true}, "a", "m", 9000, ""},
		"the team's day":            {budget.Limits{Day: 6000}, "c", "m", 401, budget.OfTeam},
		"the team's day, just":      {budget.Limits{Day: 6000}, "c", "m", 400, ""},
		"an agent's day":            {budget.Limits{Agents: map[string]int64{"a": 700}}, "a", "m", 101, budget.OfAgent},
		"another agent's day":       {budget.Limits{Agents: map[string]int64{"a": 700}}, "b", "m", 101, ""},
		"premium counts in the day": {budget.Limits{Day: 6000, Premium: []string{"gold"}}, "a", "gold", 401, budget.OfTeam},
		"beyond is not for budgets": {budget.Limits{Pool: pool(1000), Beyond: true, Day: 5700}, "a", "m", 101, budget.OfTeam},
	} {
		if c.limits.Premium == nil && c.limits.Pool != nil {
			c.limits.Premium = []string{"gold"}
		}
		l := budget.New(&book{spent: spent}, func() time.Time { return start })
		must(t, l.Set(t.Context(), c.limits))
		_, no := l.Reserve(c.agent, c.model, budget.Ceiling{Input: c.most})
		var got budget.Which
		if no != nil {
			got = no.Budget
		}
		if got != c.want {
			t.Errorf("%s: refused by %q, want %q", name, got, c.want)
		}
	}
}

// TestReserve_never: whatever is reserved, settled, changed and however time passes, what was used by calls that were let go
// never exceeds the pool or a day's budget.
func TestReserve_never(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		now := start
		l := budget.New(&book{}, func() time.Time { return now })
		limits := budget.Limits{Pool: pool(rapid.Int64Range(0, 5000).Draw(r, "pool")), Day: rapid.Int64Range(1, 3000).Draw(r, "day")}
		if err := l.Set(r.Context(), limits); err != nil {
			r.Fatal(err)
		}
		type on struct {
			h    *budget.Hold
			most int64
		}
		var way []on
		var used, today int64
		r.Repeat(map[string]func(*rapid.T){
			"reserve": func(r *rapid.T) {
				most := rapid.Int64Range(0, 900).Draw(r, "most")
				if h, no := l.Reserve("a", "m", budget.Ceiling{Output: most}); no == nil {
					way = append(way, on{h, most})
				}
			},
			"settle": func(r *rapid.T) {
				if len(way) == 0 {
					r.Skip()
				}
				one := way[0]
				way = way[1:]
				n := rapid.Int64Range(0, one.most).Draw(r, "used")
				one.h.Settle(budget.Use{Input: n})
				one.h.Settle(budget.Use{Input: n + 1000}) // the second one changes nothing
				used, today = used+n, today+n
			},
			"set again": func(r *rapid.T) {
				if err := l.Set(r.Context(), limits); err != nil {
					r.Fatal(err)
				}
			},
			"tomorrow": func(r *rapid.T) {
				for _, one := range way { // what leaves today ends today, to keep the model of the test simple
					one.h.Settle(budget.Use{})
				}
				way, today = nil, 0
				if now.Before(start.AddDate(0, 0, 20)) {
					now = now.AddDate(0, 0, 1)
				}
				if _, no := l.Reserve("a", "m", budget.Ceiling{Input: 1 << 40}); no == nil {
					r.Fatal("a call without end went")
				}
			},
			"": func(r *rapid.T) {
				if used > limits.Pool.Tokens {
					r.Fatalf("%d of a pool of %d were used", used, limits.Pool.Tokens)
				}
				if today > limits.Day && now.Before(start.AddDate(0, 0, 20)) {
					r.Fatalf("%d of %d a day were used", today, limits.Day)
				}
			},
		})
	})
}

// TestReserve_together: calls side by side share what is left.
func TestReserve_together(t *testing.T) {
	t.Parallel()
	l := budget.New(&book{}, func() time.Time { return start })
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000)}))
	var mu sync.Mutex
	var went int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if h, no := l.Reserve("a", "m", budget.Ceiling{Input: 10}); no == nil {
				h.Settle(budget.Use{Output: 10})
				mu.Lock()
				defer mu.Unlock()
				went += 10
			}
		})
	}
	all.Wait()
	if went != 1000 {
		t.Errorf("%d of 1000 tokens were used", went)
	}
}

// TestSet: the book is read once for each window; a book that cannot be read leaves the limits before in force.
func TestSet(t *testing.T) {
	t.Parallel()
	b := &book{spent: []budget.Spent{{Agent: "a", Model: "m", Use: budget.Use{Input: 100}}}}
	now := start
	l := budget.New(b, func() time.Time { return now })
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000)}))
	h, no := l.Reserve("a", "m", budget.Ceiling{Input: 900})
	if no != nil {
		t.Fatal(no.Words())
	}
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1100)}))
	if b.asked != 2 {
		t.Errorf("the book was read %d times, want once for the pool and once for the day", b.asked)
	}
	if _, no = l.Reserve("a", "m", budget.Ceiling{Input: 101}); no == nil {
		t.Error("what is on its way was forgotten")
	}
	h.Settle(budget.Use{})
	b.err = errors.New("away")
	if err := l.Set(t.Context(), budget.Limits{Pool: &budget.Pool{
		From: start, To: start.AddDate(0, 1, 0),
		Tokens: 1 << 40,
	}}); !errors.Is(err, b.err) {
		t.Errorf("the book was away: %v", err)
	}
	if _, no = l.Reserve("a", "m", budget.Ceiling{Input: 1001}); no == nil {
		t.Error("limits are in force for which the book could not be read")
	}
	b.err = nil
	now = start.AddDate(0, 1, 0) // beyond the period, and the hub is away: the same again
	if _, no = l.Reserve("a", "m", budget.Ceiling{Input: 1101}); no == nil || no.Until != pool(0).To.AddDate(0, 1, 0) {
		t.Errorf("after the period: %+v", no)
	}
	if _, no = l.Reserve("a", "m", budget.Ceiling{Input: 1100}); no != nil {
		t.Errorf("the next period is not a whole one: %s", no.Words())
	}
}

// TestDay: a day begins where the business is.
func TestDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 22, 30, 0, 0, time.UTC) // half past eleven in Berlin
	l := budget.New(&book{}, func() time.Time { return now })
	must(t, l.Set(t.Context(), budget.Limits{Day: 100, Zone: "Europe/Berlin"}))
	if _, no := l.Reserve("a", "m", budget.Ceiling{Input: 100}); no != nil {
		t.Fatal(no.Words())
	}
	now = now.Add(29 * time.Minute)
	if _, no := l.Reserve("a", "m", budget.Ceiling{Input: 1}); no == nil || !no.Until.Equal(time.Date(2026, 3, 10, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("before midnight: %+v", no)
	}
	now = now.Add(time.Minute)
	if _, no := l.Reserve("a", "m", budget.Ceiling{Input: 100}); no != nil {
		t.Errorf("after midnight: %s", no.Words())
	}
}

func BenchmarkReserveSettle(b *testing.B) {
	l := budget.New(&book{}, func() time.Time { return start })
	_ = l.Set(b.Context(), budget.Limits{Pool: pool(1 << 50), Day: 1 << 50, Agents: map[string]int64{"a": 1 << 50}})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h, _ := l.Reserve("a", "m", budget.Ceiling{Input: 1000})
			h.Settle(budget.Use{Output: 500})
		}
	})
}

// TestWeights: a token of the cache draws what its kind weighs, and a call reserves the most that it can draw.
func TestWeights(t *testing.T) {
	t.Parallel()
	p := pool(1000)
	p.Weights = budget.Weights{Input: 1000, Output: 1000, CacheRead: 100, CacheWrite: 1250}
	l := budget.New(&book{spent: []budget.Spent{{Agent: "a", Model: "m", Use: budget.Use{CacheRead: 5000}}}},
		func() time.Time { return start })
	must(t, l.Set(t.Context(), budget.Limits{Pool: p}))
	if _, no := l.Reserve("a", "m", budget.Ceiling{Input: 401}); no == nil || no.Used != 500 {
		t.Errorf("401 tokens that may come into the cache fit into 500: %+v", no)
	}
	h, no := l.Reserve("a", "m", budget.Ceiling{Input: 400})
	if no != nil {
		t.Fatal(no.Words())
	}
	h.Settle(budget.Use{CacheRead: 400})
	if _, no = l.Reserve("a", "m", budget.Ceiling{Output: 461}); no == nil || no.Used != 540 {
		t.Errorf("after 400 of the cache: %+v", no)
	}
	if _, no = l.Reserve("a", "m", budget.Ceiling{Output: 460}); no != nil {
		t.Errorf("460 tokens do not fit into 460: %s", no.Words())
	}
}
