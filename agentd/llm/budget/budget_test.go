package budget_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/agentd/llm/budget"
)

// book keeps what was used, and when. It is budget.Book.
type book struct {
	all   []entry
	err   error
	asked int
}

type entry struct {
	at time.Time
	budget.Spent
}

func (b *book) add(at time.Time, agent, model string, n int64) {
	b.all = append(b.all, entry{at, budget.Spent{Agent: agent, Model: model, Use: budget.Use{Input: n}}})
}

func (b *book) Spent(_ context.Context, from, to time.Time) ([]budget.Spent, error) {
	b.asked++
	var spent []budget.Spent
	for _, e := range b.all {
		if !e.at.Before(from) && e.at.Before(to) {
			spent = append(spent, e.Spent)
		}
	}
	return spent, b.err
}

var start = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func pool(tokens int64) *budget.Pool {
	return &budget.Pool{From: start.AddDate(0, 0, -5), To: start.AddDate(0, 1, -5), Tokens: tokens}
}

// reserve is Reserve on a book that can be read.
func reserve(t interface{ Fatal(args ...any) }, l *budget.Ledger, agent, model string, most budget.Ceiling) (*budget.Hold,
	*budget.Refusal,
) {
	h, no, err := l.Reserve(context.Background(), agent, model, most)
	if err != nil {
		t.Fatal(err)
	}
	return h, no
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	b := &book{}
	b.add(start, "a", "m", 600)
	b.add(start, "b", "gold", 5000)
	for name, c := range map[string]struct {
		limits budget.Limits
		agent  string
		model  string
		most   int64
		want   budget.Which // empty: it goes
	}{
		"nothing set":              {budget.Limits{}, "a", "m", 1 << 40, ""},
		"the rest of the pool":     {budget.Limits{Pool: pool(1000)}, "a", "m", 400, ""},
		"more than the pool":       {budget.Limits{Pool: pool(1000)}, "a", "m", 401, budget.OfPool},
		"premium draws on no pool": {budget.Limits{Pool: pool(1000), Signed: map[string]string{"a": "gold"}}, "a", "gold", 5000, ""},
		"premium of another agent": {
			budget.Limits{Pool: pool(1000), Signed: map[string]string{"a": "gold"}},
			"b", "gold", 1,
			budget.OfPremium,
		},
		"premium, unsigned":        {budget.Limits{Premium: []string{"gold"}}, "a", "gold", 1, budget.OfPremium},
		"paused":                   {budget.Limits{Paused: "payment"}, "a", "m", 1, budget.OfPause},
		"more than numbers hold":   {budget.Limits{Pool: pool(1000)}, "a", "m", math.MaxInt64, budget.OfPool},
		"more than a day can hold": {budget.Limits{Day: 6000}, "a", "m", math.MaxInt64, budget.OfTeam},
		"premium was no pool's":    {budget.Limits{Pool: pool(1000), Premium: []string{"gold"}}, "a", "m", 400, ""},
		"on beyond the pool":       {budget.Limits{Pool: pool(1000), Beyond: true}, "a", "m", 9000, ""},
		"the team's day":           {budget.Limits{Day: 6000}, "c", "m", 401, budget.OfTeam},
		"the team's day, just":     {budget.Limits{Day: 6000}, "c", "m", 400, ""},
		"an agent's day":           {budget.Limits{Agents: map[string]int64{"a": 700}}, "a", "m", 101, budget.OfAgent},
		"another agent's day":      {budget.Limits{Agents: map[string]int64{"a": 700}}, "b", "m", 101, ""},
		"premium counts in the day": {
			budget.Limits{Day: 6000, Premium: []string{"gold"}, Signed: map[string]string{"a": "gold"}}, "a", "gold", 401, budget.OfTeam,
		},
		"beyond is not for budgets": {budget.Limits{Pool: pool(1000), Beyond: true, Day: 5700}, "a", "m", 101, budget.OfTeam},
	} {
		if c.limits.Premium == nil && c.limits.Pool != nil {
			c.limits.Premium = []string{"gold"}
		}
		l := budget.New(b, func() time.Time { return start })
		must(t, l.Set(t.Context(), c.limits))
		_, no := reserve(t, l, c.agent, c.model, budget.Ceiling{Input: c.most})
		var got budget.Which
		if no != nil {
			got = no.Budget
		}
		if got != c.want {
			t.Errorf("%s: refused by %q, want %q", name, got, c.want)
		}
	}
}

// TestReserve_exactly: whatever is on its way, however periods, zones and the clock change meanwhile, a call goes exactly when what the
// book has of the windows of that moment, what is on its way and the call itself fit.
func TestReserve_exactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		now, b := start, &book{}
		l := budget.New(b, func() time.Time { return now })
		p := pool(rapid.Int64Range(0, 5000).Draw(r, "pool"))
		limits := budget.Limits{Pool: p, Day: rapid.Int64Range(1, 3000).Draw(r, "day")}
		set := func(r *rapid.T) {
			if err := l.Set(r.Context(), limits); err != nil {
				r.Fatal(err)
			}
		}
		set(r)
		way := map[*budget.Hold]int64{}
		onWay := func() (sum int64) {
			for _, most := range way {
				sum += most
			}
			return sum
		}
		kept := func(from, to time.Time) (sum int64) {
			for _, e := range b.all {
				if !e.at.Before(from) && e.at.Before(to) {
					sum += e.Input
				}
			}
			return sum
		}
		r.Repeat(map[string]func(*rapid.T){
			"reserve": func(r *rapid.T) {
				most := rapid.Int64Range(0, 900).Draw(r, "most")
				zone, err := time.LoadLocation(limits.Zone)
				if err != nil {
					r.Fatal(err)
				}
				y, m, d := now.In(zone).Date()
				today := kept(time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone))
				fits := today+onWay()+most <= limits.Day && kept(p.From, p.To)+onWay()+most <= p.Tokens
				h, no := reserve(r, l, "a", "m", budget.Ceiling{Output: most})
				if fits != (no == nil) {
					r.Fatalf("%d more: goes %v, want %v; today %d of %d, period %d of %d, on their way %d", most, no == nil, fits, today,
						limits.Day,
						kept(p.From, p.To), p.Tokens, onWay())
				}
				if no == nil {
					way[h] = most
				}
			},
			"settle": func(r *rapid.T) {
				for h, most := range way {
					n := rapid.Int64Range(0, most).Draw(r, "used")
					b.add(now, "a", "m", n)
					h.Settle(budget.Use{Input: n})
					h.Settle(budget.Use{Input: n + 1000}) // the second one changes nothing
					delete(way, h)
					return
				}
				r.Skip()
			},
			"set again": set,
			"another end of the period": func(r *rapid.T) {
				p.To = p.To.Add(time.Duration(rapid.IntRange(-1, 3).Draw(r, "days")) * 24 * time.Hour)
				if p.To.Before(start.AddDate(0, 0, 20)) {
					p.To = start.AddDate(0, 0, 20)
				}
				set(r)
			},
			"another zone": func(r *rapid.T) {
				limits.Zone = rapid.SampledFrom([]string{"", "Europe/Berlin", "America/New_York"}).Draw(r, "zone")
				set(r)
			},
			"another time": func(r *rapid.T) {
				now = start.Add(time.Duration(rapid.IntRange(-48, 48).Draw(r, "hours")) * time.Hour)
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
			if h, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 10}); no == nil {
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

// TestSet: the book is read once for each window; one that cannot be read leaves the limits before in force, and lets nothing go that
// it would have to be read for.
func TestSet(t *testing.T) {
	t.Parallel()
	b, now := &book{}, start
	b.add(start, "a", "m", 100)
	l := budget.New(b, func() time.Time { return now })
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000)}))
	h, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 900})
	if no != nil {
		t.Fatal(no.Words())
	}
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1100)}))
	if b.asked != 2 {
		t.Errorf("the book was read %d times, want once for the pool and once for the day", b.asked)
	}
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 101}); no == nil {
		t.Error("what is on its way was forgotten")
	}
	h.Settle(budget.Use{})
	b.err = errors.New("away")
	other := &budget.Pool{From: start, To: start.AddDate(0, 1, 0), Tokens: 1 << 40}
	if err := l.Set(t.Context(), budget.Limits{Pool: other}); !errors.Is(err, b.err) {
		t.Errorf("the book was away: %v", err)
	}
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 1001}); no == nil {
		t.Error("limits are in force for which the book could not be read")
	}
	now = start.AddDate(0, 1, 0)
	if _, _, err := l.Reserve(t.Context(), "a", "m", budget.Ceiling{}); !errors.Is(err, b.err) {
		t.Errorf("a day began that could not be counted: %v", err)
	}
	b.err = nil // beyond the period, and the hub is away: the same again
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 1101}); no == nil || no.Until != pool(0).To.AddDate(0, 1, 0) {
		t.Errorf("after the period: %+v", no)
	}
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 1100}); no != nil {
		t.Errorf("the next period is not a whole one: %s", no.Words())
	}
}

// TestSet_class: what becomes a premium model leaves the pool, with what was used of it before.
func TestSet_class(t *testing.T) {
	t.Parallel()
	b := &book{}
	b.add(start, "a", "m", 1000)
	l := budget.New(b, func() time.Time { return start })
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000)}))
	if _, no := reserve(t, l, "a", "n", budget.Ceiling{Input: 1}); no == nil {
		t.Error("the pool is empty, and a call goes")
	}
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000), Premium: []string{"m"}}))
	if _, no := reserve(t, l, "a", "n", budget.Ceiling{Input: 1000}); no != nil {
		t.Errorf("what costs extra still draws: %s", no.Words())
	}
}

// TestDay: a day begins where the business is.
func TestDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 22, 30, 0, 0, time.UTC) // half past eleven in Berlin
	l := budget.New(&book{}, func() time.Time { return now })
	must(t, l.Set(t.Context(), budget.Limits{Day: 100, Zone: "Europe/Berlin"}))
	h, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 100})
	if no != nil {
		t.Fatal(no.Words())
	}
	h.Settle(budget.Use{Input: 100})
	now = now.Add(29 * time.Minute)
	if _, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 1}); no == nil ||
		!no.Until.Equal(time.Date(2026, 3, 10, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("before midnight: %+v", no)
	}
	now = now.Add(time.Minute)
	if _, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 100}); no != nil {
		t.Errorf("after midnight: %s", no.Words())
	}
}

// TestSettle_anotherDay: what ends on another day than it began counts on the day it ended, also when the clock is set back.
func TestSettle_anotherDay(t *testing.T) {
	t.Parallel()
	now, b := start, &book{}
	l := budget.New(b, func() time.Time { return now })
	must(t, l.Set(t.Context(), budget.Limits{Pool: pool(1000), Day: 2}))
	h, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 1})
	if no != nil {
		t.Fatal(no.Words())
	}
	now = start.Add(12 * time.Hour)
	b.add(now, "a", "m", 1)
	h.Settle(budget.Use{Input: 1})
	now = start
	if h, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 2}); no != nil {
		t.Fatalf("a use of the next day counts today: %s", no.Words())
	}
	now = start.Add(12 * time.Hour)
	h.Settle(budget.Use{})
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Input: 2}); no == nil || no.Used != 1 {
		t.Errorf("the next day: %+v", no)
	}
}

func BenchmarkReserveSettle(b *testing.B) {
	l := budget.New(&book{}, func() time.Time { return start })
	_ = l.Set(b.Context(), budget.Limits{Pool: pool(1 << 50), Day: 1 << 50, Agents: map[string]int64{"a": 1 << 50}})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h, _, _ := l.Reserve(b.Context(), "a", "m", budget.Ceiling{Input: 1000})
			h.Settle(budget.Use{Output: 500})
		}
	})
}

// TestWeights: a token of the cache draws what its kind weighs, and a call reserves the most that it can draw.
func TestWeights(t *testing.T) {
	t.Parallel()
	p := pool(1000)
	p.Weights = budget.Weights{Input: 1000, Output: 1000, CacheRead: 100, CacheWrite: 1250}
	b := &book{all: []entry{{start, budget.Spent{Agent: "a", Model: "m", Use: budget.Use{CacheRead: 5000}}}}}
	l := budget.New(b, func() time.Time { return start })
	must(t, l.Set(t.Context(), budget.Limits{Pool: p}))
	if _, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 401}); no == nil || no.Used != 500 {
		t.Errorf("401 tokens that may come into the cache fit into 500: %+v", no)
	}
	h, no := reserve(t, l, "a", "m", budget.Ceiling{Input: 400})
	if no != nil {
		t.Fatal(no.Words())
	}
	h.Settle(budget.Use{CacheRead: 400})
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Output: 461}); no == nil || no.Used != 540 {
		t.Errorf("after 400 of the cache: %+v", no)
	}
	if _, no = reserve(t, l, "a", "m", budget.Ceiling{Output: 460}); no != nil {
		t.Errorf("460 tokens do not fit into 460: %s", no.Words())
	}
}
