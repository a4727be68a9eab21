package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/app/order"
	"gatehouse/db/dbtest"
)

// before is a store that finds orders as they stood at a moment before.
type before struct {
	order.Store
	o order.Order
}

func (s before) Find(context.Context, order.ID) (order.Order, error) { return s.o, nil }

// TestOrder_noRacePastTheCode: an act that could not be done when its code was due is refused, also when the order has got on to
// where it could be done a moment later.
func TestOrder_noRacePastTheCode(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	_, young := b.checkout(t)
	o := b.reaches(t, young, order.Fulfilled)
	early := *b.orders
	young.State = order.Provisioning
	early.Store, early.Codes = before{b.orders.Store, young}, nil
	if _, err := early.End(t.Context(), o.CustomerID, o.ID, order.Closed, manager); !errors.Is(err, order.ErrEnd) {
		t.Errorf("end: %v", err)
	}
	if _, err := early.Replace(t.Context(), o.CustomerID, o.ID, "", manager); !errors.Is(err, order.ErrReplace) {
		t.Errorf("replace: %v", err)
	}
	if now, err := b.orders.Get(t.Context(), o.CustomerID, o.ID); err != nil || now.State != order.Fulfilled {
		t.Errorf("the order stands in %s, %v", now.State, err)
	}
}

// TestOrder_noRacePastTheCode_setUp: the same for acts on an order that is still on its way.
func TestOrder_noRacePastTheCode_setUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	_, o := b.checkout(t) // no worker takes it further
	early := *b.orders
	late := o
	late.State = order.Fulfilled
	early.Store, early.Codes = before{b.orders.Store, late}, nil
	if _, err := early.Cancel(t.Context(), o.CustomerID, o.ID, manager); !errors.Is(err, order.ErrCancel) {
		t.Errorf("cancel: %v", err)
	}
	if now, err := b.orders.Get(t.Context(), o.CustomerID, o.ID); err != nil || now.State != order.PaymentConfirmed {
		t.Errorf("the order stands in %s, %v", now.State, err)
	}
	if _, err := early.Stop(t.Context(), o.CustomerID, o.ID, manager); !errors.Is(err, order.ErrStop) {
		t.Errorf("stop: %v", err)
	}
}
