package gate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// looked is the owner's configuration in force; it tells when it has been looked at.
type looked struct {
	gate.Rules
	at func()
}

func (l looked) State() config.State {
	l.at()
	return l.Rules.State()
}

// after gives a function that closes a channel when it has been called n times.
func after(n int) (func(), <-chan struct{}) {
	var mu sync.Mutex
	done := make(chan struct{})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if n--; n == 0 {
			close(done)
		}
	}, done
}

// hold keeps the writer of the store busy until the function it answers is called.
func (s *safe) hold() (release func()) {
	s.t.Helper()
	busy, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.DB.Write(context.Background(), func(*sql.Tx) error {
			close(busy)
			<-free
			return nil
		})
	}()
	<-busy
	return func() {
		close(free)
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	}
}

// TestBudget_sideBySide: eight runs of one tree decide at the same moment, each before any of the others has started.
// As many start as the budget holds, and the others are asked.
func TestBudget_sideBySide(t *testing.T) {
	t.Parallel()
	const calls, budget = 8, 3
	arrive, together := after(calls)
	decided, all := func() {}, (<-chan struct{})(nil)
	j := &judge{says: func(ctx context.Context, m gate.Matter) wire.Judgement {
		arrive()
		<-together
		return verdict("allow")(ctx, m)
	}}
	s := openSafe(t, func(d *gate.Deps) {
		d.Guardian, d.JudgeWithin = j, forLong
		d.Rules = looked{d.Rules, func() {
			select {
			case <-together:
				decided()
			default:
			}
		}}
	})
	s.configure(wire.Config{Version: 1, DefaultLevel: 3})
	s.setRules(fmt.Sprintf("version: 1\nbudgets: {deletes: %d}\n", budget))
	decided, all = after(calls)
	release := s.hold()
	root := id(t)
	var flights []parkedFlight
	for i := range calls {
		c := s.reach(root, reach{Tier: "red", Path: fmt.Sprint("tmp/", i)})
		c.RunID = id(t)
		flights = append(flights, s.fly(c))
	}
	<-all
	release()
	if ran := s.ran(flights); ran != budget {
		t.Errorf("%d calls ran side by side, the budget holds %d", ran, budget)
	}
}

// ran waits until each flight has ended or waits for a person, and counts those that have run.
func (s *safe) ran(all []parkedFlight) (n int) {
	s.t.Helper()
	for _, f := range all {
		select {
		case <-f.done:
			if f.end(s.t).State == wire.ToolDone {
				n++
			}
		case <-f.parked:
		case <-time.After(forLong):
			s.t.Fatal("call neither asked nor ended")
		}
	}
	return n
}

// TestBudget_forgotten: so many other trees come while a call is looked at that the gate forgets its tree. What the
// tree has spent still counts, before a person has looked and after.
func TestBudget_forgotten(t *testing.T) {
	t.Parallel()
	var s *safe
	others := func() {}
	j := &judge{says: func(ctx context.Context, m gate.Matter) wire.Judgement {
		others()
		return verdict("allow")(ctx, m)
	}}
	s = openSafe(t, func(d *gate.Deps) { d.Guardian, d.JudgeWithin = j, forLong })
	s.setRules("version: 1\nbudgets: {recipients: 2, bytes: 100}\n")
	root := id(t)
	change := func(i int) gate.Call {
		return s.reach(root, reach{Tier: "yellow", Bytes: 50, Path: fmt.Sprint("tmp/", i)})
	}
	s.wantEffect("first", change(1), policy.Allow)
	s.wantEffect("second", change(2), policy.Allow)
	others = func() {
		var all []parkedFlight
		for range 520 {
			all = append(all, s.fly(s.reach("", reach{Tier: "green"})))
		}
		if ran := s.ran(all); ran != len(all) {
			t.Errorf("%d of %d reads were made", ran, len(all))
		}
	}
	why := s.wantEffect("beyond the budget", change(3), policy.Ask)
	if !strings.Contains(why, "150 bytes were changed") {
		t.Errorf("asked because %q", why)
	}
}

// TestBudget_money: small payments add up over a message, its delegated runs and a restart. Where nobody can read how much a
// call moves, a person looks at each.
func TestBudget_money(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules("version: 1\nbudgets: {money: 10000}\n")
	root := id(t)
	moves := func(m policy.Money) gate.Call {
		return s.reach(root, reach{Tier: "yellow", Path: id(t), Money: &m})
	}
	s.wantEffect("the first payment", moves(policy.Money{Cents: 6000}), policy.Allow)
	s.restart()
	s.wantEffect("the second", moves(policy.Money{Cents: 4000, Currency: "EUR"}), policy.Allow)
	if why := s.wantEffect("one cent more", moves(policy.Money{Cents: 1}), policy.Ask); !strings.Contains(why, "100.01 of money") {
		t.Errorf("asked because %q", why)
	}
	s.wantEffect("what moves none", s.reach(root, reach{Tier: "yellow", Path: "x"}), policy.Allow)
	s.wantEffect("another message", s.reach("", reach{Tier: "yellow", Money: &policy.Money{Cents: 10000}}), policy.Allow)
	s.wantEffect("reading a payment", s.reach(root, reach{Tier: "green", Money: &policy.Money{Unknown: true}}), policy.Allow)
	for range 2 {
		f, a := s.ask(moves(policy.Money{Unknown: true}))
		if !strings.Contains(a.WhyAsked, "nobody can read") {
			t.Errorf("asked because %q", a.WhyAsked)
		}
		s.decide(gatetest.Answer(a, wire.AllowOnce))
		s.wantState(f.end(t), wire.ToolDone)
	}
	s.wantEffect("after a person looked", moves(policy.Money{Cents: 10000}), policy.Allow)
}

// TestBudget_takenBack: what was counted for a start that could not be kept is not spent.
func TestBudget_takenBack(t *testing.T) {
	alone(t, func(t *testing.T) {
		s := openSafe(t, nil)
		s.configure(wire.Config{Version: 1, DefaultLevel: 3})
		s.setRules("version: 1\nbudgets: {deletes: 2}\n")
		root := id(t)
		del := func(i int) gate.Call {
			return s.reach(root, reach{Tier: "red", Path: fmt.Sprint("tmp/", i)})
		}
		s.wantEffect("first", del(0), policy.Allow)
		restore := limit(t, size(t, s.bench)) // not a byte more than now
		for i := range 5 {
			if out, err := s.Gate.Do(t.Context(), del(1+i), nil); !errors.Is(err, store.ErrFull) {
				t.Fatalf("a full disk answers %+v, %v", out, err)
			}
		}
		restore()
		s.wantEffect("second", del(6), policy.Allow)
		s.wantEffect("third", del(7), policy.Ask)
	})
}

// TestBudget_writeRunsTwice: the fault of another Write makes that of a start run again. It is counted once.
func TestBudget_writeRunsTwice(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.configure(wire.Config{Version: 1, DefaultLevel: 3})
	s.setRules("version: 1\nbudgets: {deletes: 2}\n")
	for deadline := time.Now().Add(forLong); time.Now().Before(deadline); {
		root := id(t)
		first := s.reach(root, reach{Tier: "red", Path: "tmp/1"})
		twice := s.spoil(first)
		s.wantEffect("second", s.reach(root, reach{Tier: "red", Path: "tmp/2"}), policy.Allow)
		s.wantEffect("third", s.reach(root, reach{Tier: "red", Path: "tmp/3"}), policy.Ask)
		if twice {
			return
		}
	}
	t.Error("no start ran twice")
}

// spoil makes a call while other Writes fail as soon as one shares its transaction with the start of the call, and
// says whether one did.
func (s *safe) spoil(c gate.Call) bool {
	s.t.Helper()
	f := s.fly(c)
	var all sync.WaitGroup
	var shared atomic.Bool
	for range 8 {
		all.Go(func() {
			for !isDone(f.done) {
				err := s.DB.Write(s.t.Context(), func(tx *sql.Tx) error { return s.begun(tx, c.ID) })
				if errors.Is(err, errSpoilt) {
					shared.Store(true)
				} else if err != nil {
					s.t.Error(err)
				}
			}
		})
	}
	s.wantState(f.end(s.t), wire.ToolDone)
	all.Wait()
	return shared.Load()
}

var errSpoilt = errors.New("shares the transaction of a start")

// begun fails when tx has the start of the call, but not yet for others to see.
func (s *safe) begun(tx *sql.Tx, call string) error {
	const query = "SELECT count(*) FROM gate_calls WHERE id = ?"
	var here, kept int
	if err := tx.QueryRowContext(s.t.Context(), query, call).Scan(&here); err != nil {
		return err
	}
	if err := s.DB.Read().QueryRowContext(s.t.Context(), query, call).Scan(&kept); err != nil {
		return err
	}
	if here > kept {
		return errSpoilt
	}
	return nil
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// TestLimits_rulesChange: new rules come while calls are looked at. The calls are held to the limits of the rules
// that they start under.
func TestLimits_rulesChange(t *testing.T) {
	t.Parallel()
	const calls = 4
	arrive, together := after(calls)
	changed := make(chan struct{})
	s := openSafe(t, func(d *gate.Deps) {
		d.JudgeWithin = forLong
		d.Guardian = &judge{says: func(ctx context.Context, m gate.Matter) wire.Judgement {
			arrive()
			<-changed
			return verdict("allow")(ctx, m)
		}}
	})
	var flights []parkedFlight
	for i := range calls {
		flights = append(flights, s.fly(s.reach("", reach{Tier: "yellow", Action: "a.b.few", Path: fmt.Sprint(i)})))
	}
	<-together
	s.setRules("version: 1\nrules:\n  - {id: few, action: a.b.few, effect: allow, limits: {rate: 1/h}}\n")
	close(changed)
	if ran := s.ran(flights); ran != 1 {
		t.Errorf("%d calls ran, the rule allows 1", ran)
	}
	s.wantEffect("later", s.reach("", reach{Tier: "yellow", Action: "a.b.few"}), policy.Deny)
}

// TestBudget_shared: a sub-agent is a tree of its own and draws from the budget of the run that began it, also after what was
// counted is read from the records again.
func TestBudget_shared(t *testing.T) {
	t.Parallel()
	s := openSafe(t, func(*gate.Deps) {})
	s.setRules("version: 1\nbudgets: {bytes: 100}\n")
	root := id(t)
	change := func(i int, sub bool) gate.Call {
		c := s.reach(root, reach{Tier: "yellow", Bytes: 50, Path: fmt.Sprint("tmp/", i)})
		if sub {
			c.RootRunID, c.RunID, c.BudgetRoot = id(t), id(t), root
		}
		return c
	}
	s.wantEffect("of the run", change(1, false), policy.Allow)
	s.wantEffect("of a sub-agent", change(2, true), policy.Allow)
	if why := s.wantEffect("of another sub-agent", change(3, true), policy.Ask); !strings.Contains(why, "150 bytes were changed") {
		t.Errorf("asked because %q", why)
	}
}
