package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

// farm is a place that keeps count of its machines, and loses workers: a call may end before or after it did its work.
type farm struct {
	name     string
	draw     *rand.Rand
	calm     bool            // nothing is lost any more
	machines map[string]bool // by server: whether something runs there
	register func(ctx context.Context, token string) error
	linked   map[string]bool
}

// errCrash stands for a worker that was killed: its job is not told of any error.
var errCrash = errors.New("the worker was killed")

func (f *farm) Name() string { return f.name }

// work does fn, unless the worker is killed before; it may be killed after as well.
func (f *farm) work(fn func() error) error {
	if !f.calm && f.draw.IntN(8) == 0 {
		return errCrash
	}
	if err := fn(); err != nil {
		return err
	}
	if !f.calm && f.draw.IntN(8) == 0 {
		return errCrash
	}
	return nil
}

func (f *farm) Allocate(_ context.Context, s vpshost.Spec) error {
	return f.work(func() error {
		if !f.calm && f.draw.IntN(10) == 0 {
			return &vpshost.RefusedError{Reason: "No machine is free."}
		}
		f.machines[s.ServerID] = f.machines[s.ServerID] || false
		return nil
	})
}

func (f *farm) Install(ctx context.Context, s vpshost.Setup) error {
	return f.work(func() error {
		if _, there := f.machines[s.ServerID]; !there {
			return errors.New("no machine of that server")
		}
		f.machines[s.ServerID] = true
		if !f.calm && f.draw.IntN(3) == 0 {
			return &vpshost.RefusedError{Reason: "The disk is full."}
		}
		if s.Token == "" {
			return nil
		}
		return f.register(ctx, s.Token)
	})
}

func (f *farm) Finish(context.Context, vpshost.Setup) error {
	return f.work(func() error { return nil })
}

func (f *farm) LastLog(context.Context, string, int) ([]string, error) { return nil, nil }

func (f *farm) Release(_ context.Context, id string) error {
	return f.work(func() error {
		if f.machines[id] {
			return errors.New("something runs there")
		}
		delete(f.machines, id)
		return nil
	})
}

func (f *farm) Retire(_ context.Context, id string) error {
	return f.work(func() error { delete(f.machines, id); return nil })
}

// street is one random history: customers, our staff, workers that are killed, and time.
type street struct {
	*bench
	t     *testing.T
	draw  *rand.Rand
	farms map[string]*farm
	steps *provision.Runner
	now   time.Time
	users []account.User
	seen  map[order.State]int
}

func (s *street) Linked(context.Context, string) bool { return true }
func (s *street) Cut(string) error                    { return nil }

// worker tries one job that waits, or one whose worker was killed; a try that is killed leaves it waiting.
func (s *street) worker() bool {
	ctx := s.t.Context()
	var row rivertype.JobRow
	var args jobs.AdvanceOrderArgs
	const waiting = `SELECT id, attempt, args->>'order_id', args->>'step', (args->>'attempt')::int FROM river_job
		WHERE kind = 'advance_order' AND state IN ('available', 'retryable') ORDER BY md5(id::text || $1) LIMIT 1`
	err := s.db.Pool.QueryRow(ctx, waiting, fmt.Sprint(s.draw.Uint64())).
		Scan(&row.ID, &row.Attempt, &args.OrderID, &args.Step, &args.Attempt)
	if err != nil {
		return false
	}
	row.MaxAttempts, row.Attempt = 4, row.Attempt+1
	w := &jobs.AdvanceOrderWorker{Orders: s.orders, Steps: s.steps, Log: quiet, Now: s.clock}
	killed := false
	w.Steps = watched{s.steps, func(err error) { killed = killed || errors.Is(err, errCrash) }}
	err = w.Work(ctx, &river.Job[jobs.AdvanceOrderArgs]{JobRow: &row, Args: args})
	var snooze *rivertype.JobSnoozeError
	state, tries := "completed", row.Attempt
	switch {
	case killed || errors.As(err, &snooze):
		state, tries = "available", row.Attempt-1 // it is found again, and that was no try
	case err != nil && row.Attempt >= row.MaxAttempts:
		state = "discarded"
	case err != nil:
		state = "retryable"
	}
	_, err = s.db.Pool.Exec(ctx, `UPDATE river_job SET state = $2::river_job_state, attempt = $3,
		finalized_at = CASE WHEN $2 IN ('completed', 'discarded') THEN now() END WHERE id = $1`, row.ID, state, tries)
	if err != nil {
		s.t.Fatal(err)
	}
	return true
}

// watched tells how each step ended.
type watched struct {
	jobs.Steps
	tell func(error)
}

func (w watched) Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error) {
	done, err := w.Steps.Do(ctx, o, log)
	w.tell(err)
	return done, err
}

func (s *street) clock() time.Time { return s.now }

// person does something at random, which may be refused; only a refusal is a good reason not to do it.
func (s *street) person() {
	ctx := s.t.Context()
	u := s.users[s.draw.IntN(len(s.users))]
	if s.draw.IntN(6) == 0 {
		_, err := s.orders.Create(ctx, u.CustomerID, u, order.Choice{Plan: "lite"})
		s.refusedOrNil("order again", err)
		return
	}
	id := s.anOrder(u.CustomerID)
	if s.draw.IntN(4) == 0 {
		act := s.orders.CallOff
		if s.draw.IntN(2) == 0 {
			act = s.orders.Keep
		}
		_, err := act(ctx, u.CustomerID, id, audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email})
		s.refusedOrNil("customer", err)
		return
	}
	o, err := s.orders.Find(ctx, id)
	if err != nil {
		s.t.Fatal(err)
	}
	names := slices.Clone(acts)
	if s.draw.IntN(4) > 0 { // mostly what can be done: the rest is refused
		names = slices.DeleteFunc(names, func(name string) bool { return !o.Can(name) })
		names = append(slices.DeleteFunc(names, func(name string) bool { return name == "cancel" && s.draw.IntN(3) > 0 }), "auto")
	}
	act := order.Act{Name: names[s.draw.IntN(len(names))], Reason: order.EndReasons()[s.draw.IntN(3)]}
	if act.Name == "provider" || act.Name == "replace" {
		act.Provider = []string{"one", "two"}[s.draw.IntN(2)]
	}
	_, err = s.orders.Do(ctx, u.CustomerID, id, act, manager)
	s.refusedOrNil(act.Name, err)
}

func (s *street) anOrder(of account.CustomerID) (id order.ID) {
	err := s.db.Pool.QueryRow(s.t.Context(), `SELECT id FROM orders WHERE customer_id = $1
		ORDER BY state IN ('CANCELLED', 'RELEASED'), md5(id::text || $2) LIMIT 1`, of, fmt.Sprint(s.draw.Uint64())).Scan(&id)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *street) refusedOrNil(what string, err error) {
	s.t.Helper()
	if k := fault.Of(err).Kind; err != nil && k != fault.Conflict && k != fault.Invalid {
		s.t.Fatalf("%s: %v", what, err)
	}
}

// holds looks at what must be true at every moment.
func (s *street) holds() {
	s.t.Helper()
	for what, sql := range map[string]string{
		"two orders that count": `SELECT count(*) FROM (SELECT FROM orders WHERE standing = 'main' AND state NOT IN ('CANCELLED', 'RELEASED')
			GROUP BY customer_id HAVING count(*) > 1) x`,
		"two servers that serve": `SELECT count(*) FROM (SELECT FROM servers WHERE revoked_at IS NULL AND NOT next
			GROUP BY customer_id HAVING count(*) > 1) x`,
		"a fulfilled order alone": `SELECT count(*) FROM orders o LEFT JOIN servers s ON s.id = o.server_id AND s.revoked_at IS NULL AND NOT s.next
			WHERE o.state IN ('FULFILLED', 'ENDED') AND o.standing = 'main' AND s.id IS NULL`,
		"a server of an order that is over": `SELECT count(*) FROM servers s JOIN orders o ON o.id = s.order_id
			WHERE o.state = 'RELEASED' AND s.revoked_at IS NULL`,
		"an order without a job": `SELECT count(*) FROM orders o
			WHERE (mode = 'AUTO' AND order_place(state) < order_place('FULFILLED') OR state IN ('STOPPING', 'RELEASING'))
			AND NOT EXISTS (SELECT FROM river_job j WHERE j.kind = 'advance_order' AND j.args->>'order_id' = o.id::text AND j.args->>'step' = o.state
				AND (j.args->>'attempt')::int = o.attempt AND j.state IN ('available', 'retryable'))`,
	} {
		var n int
		if err := s.db.Pool.QueryRow(s.t.Context(), sql).Scan(&n); err != nil || n != 0 {
			s.t.Fatalf("%s: %d, %v", what, n, err)
		}
	}
	rows, err := s.db.Pool.Query(s.t.Context(), "SELECT state FROM orders")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var state order.State
		if err := rows.Scan(&state); err != nil {
			s.t.Fatal(err)
		}
		s.seen[state]++
	}
}

// settle ends everything in peace: workers live, failed orders are retried, graces pass. Every order then rests in a state where
// nothing is to be done, and each machine is that of a server that serves.
func (s *street) settle() {
	ctx := s.t.Context()
	for _, f := range s.farms {
		f.calm = true
	}
	for range 200 {
		for s.worker() {
		}
		s.now = s.now.Add(31 * 24 * time.Hour)
		released, err := s.orders.ReleaseDue(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		var failed, of []string
		err = s.db.Pool.QueryRow(ctx, `SELECT coalesce(array_agg(id::text), '{}'), coalesce(array_agg(customer_id::text), '{}')
			FROM orders WHERE state = 'FAILED'`).Scan(&failed, &of)
		if err != nil {
			s.t.Fatal(err)
		}
		for i, id := range failed {
			_, err := s.orders.Retry(ctx, account.CustomerID(of[i]), order.ID(id), manager)
			s.refusedOrNil("retry", err)
		}
		if _, err := s.db.Pool.Exec(ctx, "UPDATE orders SET mode = 'AUTO' WHERE mode = 'MANUAL'"); err != nil {
			s.t.Fatal(err)
		}
		moved := s.wake()
		if released == 0 && len(failed) == 0 && moved == 0 {
			break
		}
	}
	s.atRest()
}

// wake has orders go on that were in MANUAL, as staff would.
func (s *street) wake() (n int) {
	tag, err := s.db.Pool.Exec(s.t.Context(), `INSERT INTO river_job (kind, args, queue, state, max_attempts, priority)
		SELECT 'advance_order', jsonb_build_object('order_id', id, 'step', state, 'attempt', attempt), 'orders', 'available', 4, 1 FROM orders o
		WHERE order_place(state) < order_place('FULFILLED') AND NOT EXISTS (SELECT FROM river_job j WHERE j.kind = 'advance_order'
			AND j.args->>'order_id' = o.id::text AND j.state IN ('available', 'retryable'))`)
	if err != nil {
		s.t.Fatal(err)
	}
	return int(tag.RowsAffected())
}

func (s *street) atRest() {
	s.t.Helper()
	rows, err := s.db.Pool.Query(s.t.Context(), "SELECT id::text, state, coalesce(server_id::text, '') FROM orders")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var serving []string
	for rows.Next() {
		var id, srv string
		var state order.State
		if err := rows.Scan(&id, &state, &srv); err != nil {
			s.t.Fatal(err)
		}
		if state == order.Fulfilled {
			serving = append(serving, srv)
		} else if !state.Over() {
			s.t.Errorf("order %s ends in %s", id, state)
		}
	}
	var machines []string
	for _, f := range s.farms {
		for id := range f.machines {
			machines = append(machines, id)
		}
	}
	slices.Sort(serving)
	slices.Sort(machines)
	if !slices.Equal(serving, machines) {
		s.t.Errorf("machines %v, servers that serve %v", machines, serving)
	}
}

func newStreet(t *testing.T, seed uint64) *street {
	b := newBench(t, dbtest.New(t))
	s := &street{
		bench: b, t: t, draw: rand.New(rand.NewPCG(seed, 17)), farms: map[string]*farm{}, now: time.Now(), seen: map[order.State]int{},
	}
	s.orders.Now = s.clock
	hosts := map[string]vpshost.Host{}
	for _, name := range []string{"one", "two"} {
		f := &farm{name: name, draw: s.draw, machines: map[string]bool{}, register: b.register}
		s.farms[name], hosts[name] = f, f
	}
	s.steps = &provision.Runner{
		Servers: b.servers, Hosts: hosts, Default: "one", DNS: b.host, Links: s, Setups: b.setups(), People: b.account, Wait: time.Minute,
	}
	for range 3 {
		u, _ := b.checkout(t)
		s.users = append(s.users, u)
	}
	return s
}

// TestOrder_randomHistories: whatever people do while workers are killed, no customer has two orders that count or two servers that
// serve, no order is left without its work, and in the end no machine is lost. The draws are the same in each run, but not which of
// two things that happen at once comes first: there are more histories until each state was seen.
func TestOrder_randomHistories(t *testing.T) {
	t.Parallel()
	histories, most, acts := uint64(3), uint64(12), 150
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		histories, most, acts = 60, 60, 600
	}
	seen := map[order.State]int{}
	unseen := func() []order.State {
		return slices.DeleteFunc(order.States(), func(state order.State) bool { return seen[state] > 0 })
	}
	for seed := uint64(0); seed < histories || seed < most && len(unseen()) > 0; seed++ {
		s := newStreet(t, seed)
		for range acts {
			switch s.draw.IntN(10) {
			case 0, 1, 2:
				s.person()
			case 3:
				s.now = s.now.Add(time.Duration(s.draw.IntN(10)) * 24 * time.Hour)
				if _, err := s.orders.ReleaseDue(t.Context()); err != nil {
					t.Fatal(err)
				}
			default:
				s.worker()
			}
			s.holds()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		s.settle()
		s.holds()
		for state, n := range s.seen {
			seen[state] += n
		}
	}
	if left := unseen(); len(left) > 0 {
		t.Errorf("no history came to %s", left)
	}
}

// acts are all that people may do with an order.
var acts = []string{"retry", "cancel", "stop", "press", "auto", "manual", "provider", "end", "keep", "replace"}
