package slate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/slate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// team is a server's book and budgets beside what a provider knows to be true.
type team struct {
	t      *testing.T
	dir    string
	db     *store.DB
	book   *meter.Book
	ledger *budget.Ledger
	calls  string // the file
	lives  int

	open    []*asked
	keeping sync.WaitGroup

	tokens, requests int64 // true ones, of calls that are over
	crashed          bool  // the machine has crashed, once or more
}

type asked struct {
	s    *meter.Started
	hold *budget.Hold
	most budget.Ceiling
	used meter.Usage
	left bool
}

const (
	day    = 120_000
	agents = 3
)

var limits = budget.Limits{Day: day, Agents: map[string]int64{"agent-0": day / 2}}

// spent is the book as budgets read it.
type spent struct{ *meter.Book }

func (s spent) Spent(ctx context.Context, from, to time.Time) ([]budget.Spent, error) {
	rows, err := s.Book.Spent(ctx, from, to)
	var all []budget.Spent
	for _, r := range rows {
		all = append(all, budget.Spent{Agent: r.Agent, Model: r.Model, Use: budget.Use{Input: r.Input, Output: r.Output}})
	}
	return all, err
}

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func (w *team) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// start is a new life of the process.
func (w *team) start() {
	var err error
	w.db, err = store.Open(filepath.Join(w.dir, "state"), time.Now)
	w.must(err)
	w.book, err = meter.Open(w.t.Context(), w.db, w.calls, clock)
	w.must(err)
	w.ledger = budget.New(spent{w.book}, clock)
	w.must(w.ledger.Set(w.t.Context(), limits))
}

// kill ends the life: what the process had in memory is gone. The file goes on under another name, out of reach of what the dead
// would still write.
func (w *team) kill(change func(path string)) {
	w.keeping.Wait()
	b, err := os.ReadFile(w.calls)
	w.must(err)
	w.must(w.db.Close())
	w.lives++
	w.calls = filepath.Join(w.dir, fmt.Sprint("calls-", w.lives))
	w.must(os.WriteFile(w.calls, b, 0o600))
	for _, c := range w.open {
		w.over(c)
	}
	w.open = nil
	change(w.calls)
	w.start()
}

// over adds what a call has truly used.
func (w *team) over(c *asked) {
	w.requests++
	w.tokens += c.used.Input + c.used.Output
}

func (w *team) begin(t *rapid.T) {
	agent := fmt.Sprint("agent-", rapid.IntRange(0, agents-1).Draw(t, "agent"))
	most := budget.Ceiling{Input: rapid.Int64Range(1, 20_000).Draw(t, "input"), Output: rapid.Int64Range(1, 20_000).Draw(t, "output")}
	hold, no, err := w.ledger.Reserve(w.t.Context(), agent, "large", most)
	w.must(err)
	if no != nil {
		return
	}
	s, err := w.book.Begin(w.t.Context(), meter.Call{
		Agent: agent, Model: "large", Profile: "main", Key: wire.KeyHouse, Sent: most.Input, Most: slate.Tokens(most),
	})
	w.must(err)
	w.open = append(w.open, &asked{s: s, hold: hold, most: most})
}

func (w *team) pick(t *rapid.T) (*asked, int) {
	if len(w.open) == 0 {
		t.Skip("no call is on its way")
	}
	i := rapid.IntRange(0, len(w.open)-1).Draw(t, "call")
	return w.open[i], i
}

// stream lets a call leave, and more of its answer pass.
func (w *team) stream(t *rapid.T) {
	c, _ := w.pick(t)
	c.used.Input, c.used.Estimated = c.most.Input, true
	c.used.Output = rapid.Int64Range(c.used.Output, c.most.Output).Draw(t, "so far")
	c.used.EstInput, c.used.EstOutput = c.used.Input, c.used.Output
	w.must(c.s.Left())
	w.must(c.s.Note(c.used))
	c.left = true
}

func (w *team) settle(t *rapid.T) {
	c, i := w.pick(t)
	w.open = append(w.open[:i:i], w.open[i+1:]...)
	c.used = meter.Usage{
		Input:  rapid.Int64Range(0, c.most.Input).Draw(t, "read"),
		Output: rapid.Int64Range(c.used.Output, c.most.Output).Draw(t, "written"),
	}
	w.over(c)
	w.keeping.Go(func() { w.keep(c) })
}

func (w *team) keep(c *asked) {
	if err := w.book.Settle(context.Background(), c.s, c.used); err != nil {
		w.t.Error(err)
	}
	c.hold.Settle(budget.Use{Input: c.used.Input, Output: c.used.Output})
}

// drop ends a call that the provider refused.
func (w *team) drop(t *rapid.T) {
	c, i := w.pick(t)
	if c.left {
		t.Skip("it is being answered")
	}
	w.open = append(w.open[:i:i], w.open[i+1:]...)
	w.book.Drop(c.s)
	c.hold.Settle(budget.Use{})
}

// settleAndDie is killed when the book has an answer, and the file does not know that yet.
func (w *team) settleAndDie(t *rapid.T) {
	c, _ := w.pick(t)
	w.keeping.Wait()
	w.must(c.s.Note(c.used))
	before, err := os.ReadFile(w.calls)
	w.must(err)
	w.keep(c)
	w.kill(func(path string) { w.must(os.WriteFile(path, before, 0o600)) })
}

func (w *team) crash(*rapid.T) {
	w.crashed = true
	w.kill(func(path string) { slate.Crash(w.t, path) })
}

// check compares what is counted with the truth.
func (w *team) check(t *rapid.T) {
	onWay := int64(0)
	for _, c := range w.open {
		onWay += c.most.Input + c.most.Output
	}
	if w.tokens+onWay > day {
		t.Fatalf("%d tokens were used and %d are on their way, of %d", w.tokens, onWay, day)
	}
}

// TestExact: whatever dies, and whenever, what is used and what is on its way never exceeds the budget. While only processes are
// killed each call is counted once and to the token; what a crash of the machine lost is held back, and charged to nobody.
func TestExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		storetest.Seed(t, filepath.Join(dir, "state"))
		w := &team{t: t, dir: dir, calls: filepath.Join(dir, "calls")}
		w.start()
		defer func() { w.keeping.Wait(); _ = w.db.Close() }()
		machine := rapid.Bool().Draw(rt, "the machine crashes, too")
		actions := map[string]func(*rapid.T){
			"": w.check, "begin": w.begin, "begin another": w.begin, "stream": w.stream, "settle": w.settle, "drop": w.drop,
			"settle and die": w.settleAndDie, "kill": func(*rapid.T) { w.kill(func(string) {}) },
		}
		if machine {
			actions["crash"] = w.crash
		}
		rt.Repeat(actions)
		w.kill(func(string) {})
		w.compare(rt)
	})
}

// compare looks at the book when nothing is on its way.
func (w *team) compare(t *rapid.T) {
	var requests, tokens, held int64
	rows, err := w.book.Changed(w.t.Context(), 0, wire.MaxUsageRows)
	w.must(err)
	for _, r := range rows {
		requests, tokens = requests+r.Requests, tokens+r.Input+r.Output
	}
	all, err := w.book.Spent(w.t.Context(), noon.Truncate(24*time.Hour), noon.Add(24*time.Hour))
	w.must(err)
	for _, r := range all {
		held += r.Input + r.Output
	}
	switch {
	case !w.crashed && (requests != w.requests || tokens != w.tokens || held != tokens):
		t.Fatalf("counted are %d calls with %d tokens, %d with what is held back; true are %d with %d",
			requests, tokens, held, w.requests, w.tokens)
	case w.crashed && (tokens > w.tokens || held < w.tokens):
		t.Fatalf("charged are %d tokens, and %d with what is held back; true are %d", tokens, held, w.tokens)
	}
}
