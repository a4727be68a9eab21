package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

var manager = audit.Actor{Kind: audit.Staff, Name: "staff@example.com", Role: "MANAGER"}

// twoSteps sets a machine up in two steps; while the first runs, it lets the test stop the order.
type twoSteps struct {
	jobs.Steps
	setups *db.Setups
	during func(o order.Order)
	mu     sync.Mutex
	begun  []string
	err    error // of the step after the stop
}

func (s *twoSteps) Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error) {
	if o.State != order.Provisioning {
		return s.Steps.Do(ctx, o, log)
	}
	attempt, err := s.setups.Begin(ctx, o.ServerID)
	if err != nil {
		return provision.Done{}, err
	}
	defer func() { _ = s.setups.Leave(ctx, o.ServerID, attempt) }()
	for _, step := range []string{"packages", "docker"} {
		if err := s.setups.Start(ctx, o.ServerID, attempt, step); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.err = err
			return provision.Done{}, err
		}
		s.mu.Lock()
		s.begun = append(s.begun, step)
		s.mu.Unlock()
		s.during(o)
		if err := s.setups.End(ctx, o.ServerID, attempt, step, setup.Done, ""); err != nil {
			return provision.Done{}, err
		}
	}
	return provision.Done{Text: "Done."}, nil
}

// TestOrder_stoppedWhileSetUp: an order that is stopped ends after the step that runs, gives everything back, and leaves room for
// the customer's next one.
func TestOrder_stoppedWhileSetUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	deps := b.deps(time.Now)
	steps := &twoSteps{Steps: deps.Steps, setups: b.setups(), during: func(o order.Order) {
		if _, err := b.orders.Stop(t.Context(), o.CustomerID, o.ID, manager); err != nil {
			t.Error(err)
		}
		if busy, err := b.setups().Busy(t.Context(), o.ServerID); err != nil || !busy {
			t.Errorf("busy %t, %v", busy, err)
		}
	}}
	deps.Steps = steps
	b.work(t, deps)
	u, o := b.checkout(t)
	over := b.reaches(t, o, order.Cancelled)
	steps.mu.Lock()
	if len(steps.begun) != 1 || !errors.Is(steps.err, setup.ErrStopped) {
		t.Errorf("steps %v, then %v", steps.begun, steps.err)
	}
	steps.mu.Unlock()
	srv, err := b.servers.OfOrder(t.Context(), string(o.ID))
	if err != nil || srv.State != server.Revoked || over.ServerID != string(srv.ID) {
		t.Errorf("server %+v, %v", srv, err)
	}
	b.host.mu.Lock()
	if b.host.retired == 0 {
		t.Error("the machine was not given back")
	}
	b.host.mu.Unlock()
	steps.during = func(order.Order) {}
	again, err := b.orders.Create(t.Context(), o.CustomerID, u, order.Choice{Plan: "lite"})
	if err != nil {
		t.Fatal(err)
	}
	b.reaches(t, again, order.Fulfilled)
}

// TestOrder_stopAfterFailure: a set-up that failed can be given up too, by the customer as well.
func TestOrder_stopAfterFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.host.fail = func(step string) error {
		if step == "install" {
			return order.Final("The disk is full.", nil)
		}
		return nil
	}
	b.work(t, b.deps(time.Now))
	u, o := b.checkout(t)
	b.reaches(t, o, order.Failed)
	owner := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	if _, err := b.orders.CallOff(t.Context(), o.CustomerID, o.ID, owner); err != nil {
		t.Fatal(err)
	}
	b.reaches(t, o, order.Cancelled)
}

// TestOrder_endedAndReleased: the server of an ended order works on for its grace; until then the end can be taken back.
func TestOrder_endedAndReleased(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	u, o := b.checkout(t)
	b.reaches(t, o, order.Fulfilled)
	end := func(why order.EndReason) order.Order {
		t.Helper()
		ended, err := b.orders.End(t.Context(), o.CustomerID, o.ID, why, manager)
		if err != nil {
			t.Fatal(err)
		}
		return ended
	}
	owner := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	end(order.Closed)
	kept, err := b.orders.Keep(t.Context(), o.CustomerID, o.ID, owner)
	if err != nil || kept.State != order.Fulfilled || !kept.ReleaseAt.IsZero() {
		t.Errorf("kept %+v, %v", kept, err)
	}
	ended := end(order.Refunded)
	if _, err := b.orders.Keep(t.Context(), o.CustomerID, o.ID, owner); !errors.Is(err, order.ErrKeep) {
		t.Errorf("a customer keeps what was refunded: %v", err)
	}
	if left := time.Until(ended.ReleaseAt); left < 6*24*time.Hour || left > 7*24*time.Hour {
		t.Errorf("released in %s", left)
	}
	if n, err := b.orders.ReleaseDue(t.Context()); n != 0 || err != nil {
		t.Errorf("released %d before the grace is over, %v", n, err)
	}
	if _, err := b.orders.Create(t.Context(), o.CustomerID, u, order.Choice{Plan: "lite"}); !errors.Is(err, order.ErrOneOrder) {
		t.Errorf("a second order beside a server that works: %v", err)
	}
	if srv, err := b.servers.Of(t.Context(), o.CustomerID); err != nil || string(srv.ID) != ended.ServerID {
		t.Errorf("the server stopped serving: %+v, %v", srv, err)
	}
	later := *b.orders
	later.Now = func() time.Time { return ended.ReleaseAt.Add(time.Second) }
	if n, err := later.ReleaseDue(t.Context()); n != 1 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	b.reaches(t, o, order.Released)
	if _, err := b.servers.Of(t.Context(), o.CustomerID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a server is left: %v", err)
	}
	eventually(t, "a letter for each end", func() bool { return b.mails.subjects()[order.LetterEnded] == 2 })
	if _, err := b.orders.Create(t.Context(), o.CustomerID, u, order.Choice{Plan: "lite"}); err != nil {
		t.Errorf("no order after the release: %v", err)
	}
}

// TestOrder_replaced: a second server is set up beside the one that serves, takes its place in one moment, and the former one is
// given back.
func TestOrder_replaced(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	_, o := b.checkout(t)
	was := b.reaches(t, o, order.Fulfilled)
	b.host.mu.Lock()
	b.host.fail = func(step string) error {
		if step == "dns" {
			return order.Final("Not yet.", nil)
		}
		return nil
	}
	b.host.mu.Unlock()
	next, err := b.orders.Replace(t.Context(), o.CustomerID, o.ID, "", manager)
	if err != nil {
		t.Fatal(err)
	}
	b.reaches(t, next, order.Failed)
	serves := func(want string) {
		t.Helper()
		srv, err := b.servers.Of(t.Context(), o.CustomerID)
		id, err2 := (&db.Links{DB: b.db}).ServerOf(t.Context(), o.CustomerID)
		main, err3 := b.orders.Of(t.Context(), o.CustomerID)
		if err := errors.Join(err, err2, err3); err != nil || string(srv.ID) != want || string(id) != want || main.ServerID != want {
			t.Errorf("serves %s, %s, order of %s; want %s, %v", srv.ID, id, main.ServerID, want, err)
		}
	}
	serves(was.ServerID)
	if _, err := b.orders.Replace(t.Context(), o.CustomerID, o.ID, "", manager); !errors.Is(err, order.ErrReplacing) {
		t.Errorf("a second replacement: %v", err)
	}
	if _, err := b.orders.End(t.Context(), o.CustomerID, o.ID, order.Closed, manager); !errors.Is(err, order.ErrReplacing) {
		t.Errorf("an end meanwhile: %v", err)
	}
	if o, err := b.orders.SetAdminKey(t.Context(), o.CustomerID, someKey, manager); err != nil || o.ID != next.ID {
		t.Errorf("another SSH key: order %s, want %s, %v", o.ID, next.ID, err)
	}
	b.host.mu.Lock()
	b.host.fail = nil
	b.host.mu.Unlock()
	if _, err := b.orders.Retry(t.Context(), o.CustomerID, next.ID, manager); err != nil {
		t.Fatal(err)
	}
	now := b.reaches(t, next, order.Fulfilled)
	b.host.mu.Lock()
	if !strings.HasPrefix(someKey, b.host.adminKey) || b.host.adminKey == "" {
		t.Errorf("the new server lets in %q", b.host.adminKey)
	}
	b.host.mu.Unlock()
	former := b.reaches(t, o, order.Released)
	serves(now.ServerID)
	if now.Standing != order.Main || former.Standing != order.Former || former.EndReason != order.Replaced {
		t.Errorf("now %+v, former %+v", now, former)
	}
	if _, err := b.orders.Replace(t.Context(), o.CustomerID, o.ID, "", manager); !errors.Is(err, order.ErrReplace) {
		t.Errorf("a former server is replaced: %v", err)
	}
}
