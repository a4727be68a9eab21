package db_test

import (
	"errors"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/work"
	"gatehouse/db"
)

func TestOrders_Create_storesAllOrNothing(t *testing.T) {
	t.Parallel()
	d, q := fresh(t), &queue{}
	orders, accounts := &db.Orders{DB: d, Jobs: q}, &db.Accounts{DB: d, Jobs: q}
	n := newOrder(t)
	n.Change.Work = []work.Item{work.AdvanceOrder{OrderID: string(n.Order.ID), Step: "PAYMENT_CONFIRMED"}}

	q.err = errors.New("queue away")
	_, err := orders.Create(t.Context(), n)
	wantErr(t, err, q.err)
	_, err = accounts.Customer(t.Context(), n.Account.Customer.ID)
	wantKind(t, err, fault.NotFound)

	q.err = nil
	got, err := orders.Create(t.Context(), n)
	must(t, err)
	want := n.Order
	want.Number = got.Number
	if got != want || got.Number < 1001 {
		t.Errorf("created %+v, want %+v", got, want)
	}
	read, err := orders.Get(t.Context(), want.CustomerID, want.ID)
	must(t, err)
	if read != want {
		t.Errorf("read %+v, want %+v", read, want)
	}
	if len(q.items) != 1 {
		t.Errorf("queued %v, want one job", q.items)
	}
}

func TestOrders_Create_refusals(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	orders := &db.Orders{DB: d, Jobs: &queue{}}
	first := placed(t, d)

	again := newOrder(t)
	again.Account.Owner.Email = "SOMEONE" + first.Account.Owner.Email[len("someone"):] // other case, same address
	_, err := orders.Create(t.Context(), again)
	wantErr(t, err, account.ErrEmailTaken)

	second := newOrder(t)
	second.Account = nil
	second.Order.CustomerID, second.Order.OrderedBy = first.Order.CustomerID, first.Order.OrderedBy
	_, err = orders.Create(t.Context(), second)
	wantErr(t, err, order.ErrOneOrder)
}

func TestOrders_otherCustomer(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	orders := &db.Orders{DB: d, Jobs: &queue{}}
	mine, other := placed(t, d).Order, placed(t, d).Order
	_, err := orders.Get(t.Context(), other.CustomerID, mine.ID)
	wantKind(t, err, fault.NotFound)
	_, err = orders.Change(t.Context(), other.CustomerID, mine.ID, func(o *order.Order) (order.Change, error) {
		t.Error("another customer's order was loaded")
		return order.Change{}, nil
	})
	wantKind(t, err, fault.NotFound)
	events, err := orders.Events(t.Context(), other.CustomerID, mine.ID, 0, 10)
	must(t, err)
	if len(events) != 0 {
		t.Errorf("another customer reads %d events", len(events))
	}
	line := []order.Line{{At: t0, State: "x", Text: "x"}}
	wantKind(t, orders.Log(t.Context(), other.CustomerID, mine.ID, line), fault.NotFound)
	_, err = orders.Get(t.Context(), mine.CustomerID, "no-id-at-all")
	wantKind(t, err, fault.NotFound)
}

func TestOrders_Change_rollsBackWithItsQueue(t *testing.T) {
	t.Parallel()
	d, q := fresh(t), &queue{err: errors.New("queue away")}
	orders := &db.Orders{DB: d, Jobs: q}
	o := placed(t, d).Order
	_, err := orders.Change(t.Context(), o.CustomerID, o.ID, func(o *order.Order) (order.Change, error) {
		o.State = order.AwaitingServer
		return order.Change{Events: []order.Event{{At: t0, Kind: order.EventState, State: o.State, Text: "Next.", By: "x"}}}, nil
	})
	wantErr(t, err, q.err)
	read, err := orders.Get(t.Context(), o.CustomerID, o.ID)
	must(t, err)
	events, err := orders.Events(t.Context(), o.CustomerID, o.ID, 0, 10)
	must(t, err)
	if read.State != order.PaymentConfirmed || len(events) != 1 {
		t.Errorf("state %s with %d events after a rollback", read.State, len(events))
	}
}

func TestOrders_List_pages(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	orders := &db.Orders{DB: d, Jobs: &queue{}}
	var want []order.ID
	for range 5 {
		want = append([]order.ID{placed(t, d).Order.ID}, want...)
	}
	var got []order.ID
	ask := page.Ask{Limit: 2}
	for {
		p, err := orders.List(t.Context(), order.Filter{State: order.PaymentConfirmed}, ask)
		must(t, err)
		for _, o := range p.Items {
			got = append(got, o.ID)
		}
		if p.Next == "" {
			break
		}
		ask.After = p.Next
	}
	if len(got) != len(want) {
		t.Fatalf("listed %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("place %d: %s, want %s", i, got[i], want[i])
		}
	}
	none, err := orders.List(t.Context(), order.Filter{State: order.Failed}, page.Ask{Limit: 2})
	must(t, err)
	if len(none.Items) != 0 {
		t.Errorf("%d failed orders, want none", len(none.Items))
	}
}
