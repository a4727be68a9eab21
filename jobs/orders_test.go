package jobs_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

func keys(token string) (wire.RegisterRequest, error) {
	pub, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		return wire.RegisterRequest{}, err
	}
	seal, _, err := wire.NewSealKey()
	return wire.RegisterRequest{Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(pub), SealKey: seal, AgentdVersion: "test"}, err
}

func TestOrder_fromCheckoutToFulfilled(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	b.work(t, b.deps(time.Now)) // two at once do no step twice
	begun := time.Now()
	u, o := b.checkout(t)
	done := b.reaches(t, o, order.Fulfilled)
	t.Logf("fulfilled after %s", time.Since(begun))
	if done.ServerID == "" || done.FulfilledAt.IsZero() {
		t.Errorf("fulfilled order %+v lacks its server or time", done)
	}
	events, err := b.orders.Events(t.Context(), o.CustomerID, o.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	var states []order.State
	for _, e := range events {
		if e.Kind == order.EventState {
			states = append(states, e.State)
		}
	}
	if want := order.Path(); len(states) != len(want) {
		t.Errorf("went through %v, want %v", states, want)
	}
	if installed, allocated := b.host.counts(); installed != 1 || allocated != 1 {
		t.Errorf("installed %d times, allocated %d servers", installed, allocated)
	}
	eventually(t, "both letters are sent", func() bool { return len(b.mails.subjects()) == 2 })
	if got := b.mails.subjects(); got["verify"] != 1 || got["welcome"] != 1 {
		t.Errorf("letters %v", got)
	}
	verifies(t, b, u)
	if n := b.told.count(); n < len(order.Path()) {
		t.Errorf("pages heard of %d changes", n)
	}
}

// verifies uses the link of the letter that was sent: once it works, then never.
func verifies(t *testing.T, b *bench, u account.User) {
	t.Helper()
	token := b.mails.text("verify")
	got, err := b.account.Verify(t.Context(), token)
	if err != nil || got.ID != u.ID || !got.Verified() {
		t.Fatalf("verify: %+v, %v", got, err)
	}
	eventually(t, "the server hears that the address is inside", func() bool { return len(b.team.refreshed()) == 1 })
	if got, want := b.team.refreshed()[0], string(u.CustomerID)+" by "+u.Email+" over portal"; got != want {
		t.Errorf("refreshed %q, want %q", got, want)
	}
	if _, err := b.account.Verify(t.Context(), token); !errors.Is(err, account.ErrLink) {
		t.Errorf("second use of a link: %v", err)
	}
}

func TestOrder_retriesThenFailsThenIsTakenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	var tries atomic.Int32
	b.host.fail = func(step string) error {
		if step != "dns" {
			return nil
		}
		tries.Add(1)
		return errors.New("registrar is away: secret detail")
	}
	b.work(t, b.deps(time.Now))
	u, o := b.checkout(t)
	var pauses []time.Duration
	eventually(t, "three pauses have begun", func() bool {
		pauses = append(pauses, b.endPauses(t)...)
		return len(pauses) == 3
	})
	if !slices.Equal(pauses, []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}) {
		t.Errorf("pauses %v", pauses)
	}
	failed := b.reaches(t, o, order.Failed)
	if failed.FailedStep != order.DNSPending || tries.Load() != 4 {
		t.Errorf("failed at %s after %d tries, want DNS_PENDING after 4", failed.FailedStep, tries.Load())
	}
	if strings.Contains(failed.Reason, "secret detail") || failed.Reason == "" {
		t.Errorf("reason %q", failed.Reason)
	}
	b.host.mu.Lock()
	b.host.fail = nil
	b.host.mu.Unlock()
	by := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	if _, err := b.orders.Retry(t.Context(), o.CustomerID, o.ID, by); err != nil {
		t.Fatal(err)
	}
	b.reaches(t, o, order.Fulfilled)
	log, err := (&db.Audit{DB: b.db}).List(t.Context(), string(o.CustomerID), pageOf(10))
	if err != nil || len(log.Items) != 1 || log.Items[0].Action != "order.retry" || log.Items[0].By.ID != string(u.ID) {
		t.Errorf("audit log %+v, %v", log, err)
	}
}

func TestOrder_refusalFailsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.host.fail = func(string) error { return &vpshost.RefusedError{Reason: "This machine is full."} }
	b.work(t, b.deps(time.Now))
	_, o := b.checkout(t)
	if got := b.reaches(t, o, order.Failed); got.Reason != "This machine is full." || got.FailedStep != order.AwaitingServer {
		t.Errorf("failed %+v", got)
	}
}

func TestOrder_serverThatDoesNotCome(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.host.register = func(context.Context, string) error { return nil } // agentd starts and says nothing
	d := b.deps(time.Now)
	d.Steps = b.steps(150 * time.Millisecond)
	b.work(t, d)
	_, o := b.checkout(t)
	got := b.reaches(t, o, order.Failed)
	if got.FailedStep != order.Provisioning || !strings.Contains(got.Reason, "did not register") {
		t.Errorf("failed %+v", got)
	}
	lines, err := b.orders.Lines(t.Context(), o.ID, order.LineFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if all := texts(lines); !strings.Contains(all, "agentd: the last words") {
		t.Errorf("the log lacks agentd's last lines:\n%s", all)
	}
}

// TestOrder_cancelGivesTheServerBack: after a step that failed, also the one that reserves the server, the order can be
// called off and leaves nothing that the customer's next one would stumble over.
func TestOrder_cancelGivesTheServerBack(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"allocate", "dns"} {
		t.Run(step, func(t *testing.T) { t.Parallel(); cancelGivesBack(t, step) })
	}
}

// calledOff calls the order off while its server is being reserved, and goes on when everything was given back.
type calledOff struct {
	jobs.Steps
	b *bench
	t *testing.T
}

func (c calledOff) Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error) {
	if o.State == order.AwaitingServer {
		if _, err := c.b.orders.Cancel(ctx, o.CustomerID, o.ID, audit.Actor{Kind: audit.User, Name: "somebody"}); err != nil {
			return provision.Done{}, err
		}
		eventually(c.t, "everything was given back", func() bool {
			var done bool
			err := c.b.db.Pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM river_job WHERE args->>'step' = 'CANCELLED' AND state = 'completed')").Scan(&done)
			return err == nil && done
		})
	}
	return c.Steps.Do(ctx, o, log)
}

// TestOrder_cancelledWhileReserved: what a step makes for an order that was called off meanwhile is given back too.
func TestOrder_cancelledWhileReserved(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	d := b.deps(time.Now)
	d.Steps = calledOff{d.Steps, b, t}
	b.work(t, d)
	_, o := b.checkout(t)
	b.reaches(t, o, order.Cancelled)
	eventually(t, "the server is reserved and given back", func() bool {
		_, allocated := b.host.counts()
		_, err := b.servers.OfOrder(t.Context(), string(o.ID))
		return allocated == 1 && fault.Of(err).Kind == fault.NotFound
	})
	b.host.mu.Lock()
	defer b.host.mu.Unlock()
	if b.host.released == 0 {
		t.Error("the provider was not told")
	}
}

func cancelGivesBack(t *testing.T, failing string) {
	b := newBench(t, dbtest.New(t))
	b.host.fail = func(step string) error {
		if step == failing {
			return &vpshost.RefusedError{Reason: "No more of it."}
		}
		return nil
	}
	b.work(t, b.deps(time.Now))
	u, o := b.checkout(t)
	b.reaches(t, o, order.Failed)
	if _, err := b.orders.Cancel(t.Context(), o.CustomerID, o.ID, audit.Actor{Kind: audit.User, Name: u.Email}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is forgotten", func() bool {
		_, err := b.servers.Of(t.Context(), o.CustomerID)
		return errors.Is(err, db.ErrNotFound)
	})
	b.host.mu.Lock()
	if b.host.released != 1 {
		t.Errorf("released %d times", b.host.released)
	}
	b.host.fail = nil
	b.host.mu.Unlock()
	again, err := b.orders.Create(t.Context(), o.CustomerID, u, order.Choice{Plan: "lite"})
	if err != nil {
		t.Fatal(err)
	}
	b.reaches(t, again, order.Fulfilled)
}

func TestOrder_manualWaitsForStaff(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	_, o := b.checkout(t)
	by := audit.Actor{Kind: audit.Staff, Name: "staff@example.com", Role: "MANAGER"}
	if _, err := b.orders.SetMode(t.Context(), o.CustomerID, o.ID, order.Manual, by); err != nil {
		t.Fatal(err)
	}
	b.work(t, b.deps(time.Now)) // the job of the order's birth is overtaken by then
	for _, want := range order.Path()[1:] {
		if _, err := b.orders.Press(t.Context(), o.CustomerID, o.ID, by); err != nil {
			t.Fatal(err)
		}
		b.reaches(t, o, want)
	}
}

// TestOrder_staleWorker shows that a worker which was overtaken writes nothing.
func TestOrder_staleWorker(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	_, o := b.checkout(t)
	item := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}
	var stale, moved int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := b.orders.Advance(t.Context(), item, "Next.", "")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				moved++
			case errors.Is(err, order.ErrStale):
				stale++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if moved != 1 || stale != 19 {
		t.Errorf("%d moved, %d were stale", moved, stale)
	}
	if got := b.reaches(t, o, order.AwaitingServer); got.State != order.AwaitingServer {
		t.Errorf("order at %s", got.State)
	}
}

// TestOrder_killedWorker kills a worker process in the middle of a step; the next one goes on at once.
func TestOrder_killedWorker(t *testing.T) {
	t.Parallel()
	dsn, dir := dbtest.NewDSN(t), t.TempDir()
	d, err := db.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	b := newBench(t, d)
	_, o := b.checkout(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "JOBS_TEST_WORKER_DSN="+dsn, "JOBS_TEST_WORKER_DIR="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	eventually(t, "the other process is inside the step", func() bool {
		lines, err := b.orders.Lines(t.Context(), o.ID, order.LineFilter{})
		return err == nil && strings.Contains(texts(lines), "stuck in this step")
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deps := b.deps(time.Now)
	deps.Dir = dir
	b.work(t, deps)
	b.reaches(t, o, order.Fulfilled)
}

// workerProcess works until it is killed, inside the first step that touches a machine.
func workerProcess(dsn, dir string) {
	ctx := context.Background()
	d, err := db.Open(ctx, dsn)
	if err != nil {
		panic(err)
	}
	b := newBench(&testing.B{}, d)
	deps := b.deps(time.Now)
	deps.Dir, deps.Steps = dir, stuck{deps.Steps}
	if url := os.Getenv("JOBS_TEST_HETZNER_URL"); url != "" {
		deps.Machines = b.machineWorker(rentedHost(url, d), deafStore{b.acts()})
	}
	w, err := jobs.NewWorkers(d.Pool, deps)
	if err == nil {
		err = w.Start(ctx)
	}
	if err != nil {
		panic(err)
	}
	select {}
}
