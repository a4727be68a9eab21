package db_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/app/work"
	"gatehouse/db"
)

// told lists the letters about pools that were queued.
func (q *queue) told() (letters []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, item := range q.items {
		if m, is := item.(work.SendMail); is && billing.Letters(m.Template) {
			letters = append(letters, m.Template)
		}
	}
	return letters
}

// pooled is a till whose customer has a pool of 15,000,000 tokens from t0 on.
func pooled(t *testing.T) *till {
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0.Add(time.Minute))
	return b
}

// watches has pools looked at, after a while, and wants these letters queued so far.
func (b *till) watches(want ...string) {
	b.t.Helper()
	b.now = b.now.Add(20 * time.Minute)
	if _, err := b.Watch(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	if got := b.queue.told(); !slices.Equal(got, want) {
		b.t.Fatalf("letters %v, want %v", got, want)
	}
}

// TestPools: owners are told once at 80 % and once when a pool is empty, in each period, whatever is reported again, late or out of
// order, and a larger pool changes nothing about that.
func TestPools(t *testing.T) {
	t.Parallel()
	b := pooled(t)
	use := func(hour int, input int64) {
		t.Helper()
		b.uses(t0.Add(time.Duration(hour)*time.Hour), "small", usage.House, usage.Counts{Requests: 1, Input: input})
	}
	b.watches()
	if n, err := b.Watch(t.Context()); err != nil || n != 0 {
		t.Errorf("looked at again at once: %d, %v", n, err)
	}
	use(5, 11_000_000)
	b.uses(t0, "large", usage.House, usage.Counts{Requests: 1, Input: 9_000_000}) // premium draws on no pool
	b.uses(t0, "small", usage.Own, usage.Counts{Requests: 1, Input: 9_000_000})   // nor does the customer's own key
	b.watches()
	if low, err := b.Low(t.Context(), b.of); err != nil || low != nil {
		t.Errorf("before: %+v, %v", low, err)
	}
	use(1, 1_000_000) // an hour of before, reported late
	b.watches("pool_low")
	use(5, 11_000_000)
	b.watches("pool_low")
	low, err := b.Low(t.Context(), b.of)
	must(t, err)
	if low == nil || low.Told() != billing.PoolLow || low.Drawn != 12_000_000 || low.Pool != 15_000_000 || low.Beyond {
		t.Fatalf("low: %+v", low)
	}
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Enterprise}, clerk)
	must(t, err)
	if low, err := b.Low(t.Context(), b.of); err != nil || low != nil {
		t.Errorf("with a larger plan: %+v, %v", low, err)
	}
	b.watches("pool_low")
	use(6, 22_000_000)
	b.watches("pool_low") // 80 % of the larger pool
	use(7, 6_000_000)
	b.watches("pool_low", "pool_empty")
	must(t, b.Chose(t.Context(), b.of, true, audit.Itself))
	if low, err = b.Low(t.Context(), b.of); err != nil || low == nil || low.Told() != billing.PoolEmpty || !low.Beyond {
		t.Errorf("empty: %+v, %v", low, err)
	}
	use(8, 9_000_000)
	b.watches("pool_low", "pool_empty")
	b.at(b.periods()[0].To)
	if low, err := b.Low(t.Context(), b.of); err != nil || low != nil {
		t.Errorf("in the next period: %+v, %v", low, err)
	}
	b.uses(b.now, "small", usage.House, usage.Counts{Requests: 1, Input: 40_000_000})
	b.watches("pool_low", "pool_empty", "pool_empty") // who is told that it is empty needs no word about 80 %
}

// TestPools_together: of many that look at the same time one tells the owners; a letter that cannot be queued is told the next time.
func TestPools_together(t *testing.T) {
	t.Parallel()
	b := pooled(t)
	b.uses(t0, "small", usage.House, usage.Counts{Requests: 1, Input: 13_000_000})
	b.now = b.now.Add(time.Minute)
	down := *b.Service
	down.Store = &db.Billing{DB: b.db, Jobs: &queue{err: errors.New("no queue")}}
	if n, err := down.Watch(t.Context()); n != 0 || err == nil {
		t.Fatalf("without a queue: %d, %v", n, err)
	}
	p := b.periods()[0]
	f := billing.Fill{Period: p.ID, CustomerID: b.of, Drawn: 13_000_000, Pool: 15_000_000, At: b.now, Until: p.To}
	var all sync.WaitGroup
	for range 8 {
		n := billing.PoolNotice{ID: id(t), Percent: f.Told(), Fill: f}
		all.Go(func() {
			if _, err := b.store.KeepFill(t.Context(), f, n); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := b.queue.told(); len(got) != 1 {
		t.Errorf("letters %v", got)
	}
	if _, err := b.store.FillOf(t.Context(), account.CustomerID(id(t))); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("of another customer: %v", err)
	}
}
