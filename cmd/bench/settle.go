package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/slate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

func reserveSettle() Figure {
	return Figure{
		Name: "reserve_settle_p99_us", Unit: "us", Goal: 300, Fsync: true, Take: takeSettles, Control: bareSettleControl(),
		How: "what a call to a model waits for so that it is in the budgets and cannot be lost: before it leaves, and when its answer " +
			"is there; 50 runs at once over a model that takes 5 to 25 ms, the book committed meanwhile, in this process; p99",
	}
}

// Calls of the figure: how many runs make them at once, how many may wait for the book, and what each uses.
const (
	settlers    = 50
	unsettled   = 256
	settleUses  = 300
	thinksLeast = 5 * time.Millisecond
	thinksMost  = 25 * time.Millisecond
)

// till is what the model proxy keeps its calls by.
type till struct {
	book   *meter.Book
	ledger *budget.Ledger
	behind chan struct{} // one for each call that the book has not committed
	all    sync.WaitGroup

	mu     sync.Mutex
	took   []time.Duration
	failed error
}

func (t *till) Spent(ctx context.Context, from, to time.Time) (all []budget.Spent, err error) {
	rows, err := t.book.Spent(ctx, from, to)
	for _, r := range rows {
		all = append(all, budget.Spent{Agent: r.Agent, Model: r.Model, Use: budget.Use{Input: r.Input, Output: r.Output}})
	}
	return all, err
}

// takeSettles reserves and settles for a while, and checks that the book has each call once.
func takeSettles(ctx context.Context, s *Stage) (run Run, err error) {
	dir, err := os.MkdirTemp(s.dir, "settles-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(dir, time.Now)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	t := &till{behind: make(chan struct{}, unsettled)}
	if t.book, err = meter.Open(ctx, db, filepath.Join(dir, "calls"), time.Now); err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, t.book.Close()) }()
	t.ledger = budget.New(t, time.Now)
	began := time.Now()
	pool := &budget.Pool{From: began.AddDate(0, 0, -1), To: began.AddDate(0, 1, 0), Tokens: 1 << 40}
	if err := t.ledger.Set(ctx, budget.Limits{Pool: pool, Day: 1 << 40}); err != nil {
		return Run{}, err
	}
	n := s.count(20_000, 200)
	var runs sync.WaitGroup
	for i := range settlers {
		runs.Go(func() { t.work(ctx, fmt.Sprint("agent-", i), n/settlers) })
	}
	runs.Wait()
	t.all.Wait()
	if t.failed != nil {
		return Run{}, t.failed
	}
	return t.result(ctx, began)
}

// result is the figure, if nothing was lost.
func (t *till) result(ctx context.Context, began time.Time) (Run, error) {
	spent, err := t.Spent(ctx, began.Add(-time.Hour), began.Add(time.Hour))
	if err != nil {
		return Run{}, err
	}
	var kept int64
	for _, one := range spent {
		kept += one.Tokens()
	}
	if want := int64(len(t.took)) * settleUses; kept != want {
		return Run{}, fmt.Errorf("the book has %d tokens of %d", kept, want)
	}
	const us = 1000 // of a millisecond
	return Run{
		Value: percentile(t.took, 99) * us, N: len(t.took),
		Note: fmt.Sprintf("p50 %.0f us; the book has each call once", percentile(t.took, 50)*us),
	}, nil
}

// work makes one call after the other.
func (t *till) work(ctx context.Context, agent string, n int) {
	for range n {
		t.behind <- struct{}{}
		if err := t.call(ctx, agent); err != nil {
			t.fail(err)
			return
		}
	}
}

func (t *till) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = errors.Join(t.failed, err)
}

// call is what the model proxy does for one call. The commit of the book it leaves behind.
func (t *till) call(ctx context.Context, agent string) error {
	begun := time.Now()
	hold, no, err := t.ledger.Reserve(ctx, agent, "large", budget.Ceiling{Input: 6000, Output: 4000})
	if err != nil {
		return err
	}
	if no != nil {
		return errors.New(no.Words())
	}
	c, err := t.book.Begin(ctx, meter.Call{
		Agent: agent, Model: "large", Profile: "main", Key: wire.KeyHouse, Sent: 6000, Most: slate.Tokens(hold.Most()),
	})
	if err != nil {
		return err
	}
	if err := c.Left(); err != nil {
		return err
	}
	took := time.Since(begun)
	time.Sleep(thinksLeast + rand.N(thinksMost-thinksLeast)) //nolint:gosec // the model thinks
	there := time.Now()
	used := meter.Usage{Input: settleUses - 100, Output: 100}
	if err := c.Note(used); err != nil {
		return err
	}
	took += time.Since(there)
	t.mu.Lock()
	t.took = append(t.took, took)
	t.mu.Unlock()
	t.all.Go(func() {
		if err := t.book.Settle(ctx, c, used); err != nil {
			t.fail(err)
		}
		hold.Settle(budget.Use{Input: used.Input, Output: used.Output})
		<-t.behind
	})
	return nil
}
