package order_test

import (
	"testing"

	"gatehouse/app/order"
)

// legal is the state machine of orders, written out: from, then where it may go. The failed ones stand as FAILED@step.
var legal = map[string][]order.State{
	"PAYMENT_CONFIRMED":        {order.AwaitingServer, order.Failed, order.Cancelled},
	"AWAITING_SERVER":          {order.ServerReady, order.Failed, order.Cancelled},
	"SERVER_READY":             {order.DNSPending, order.Failed, order.Cancelled},
	"DNS_PENDING":              {order.DNSReady, order.Failed, order.Cancelled},
	"DNS_READY":                {order.Provisioning, order.Failed, order.Cancelled},
	"PROVISIONING":             {order.Fulfilled, order.Failed, order.Stopping},
	"FULFILLED":                {order.Ended},
	"CANCELLED":                {},
	"STOPPING":                 {order.Cancelled, order.Failed},
	"ENDED":                    {order.Fulfilled, order.Releasing},
	"RELEASING":                {order.Released, order.Failed},
	"RELEASED":                 {},
	"FAILED@PAYMENT_CONFIRMED": {order.PaymentConfirmed, order.Cancelled},
	"FAILED@AWAITING_SERVER":   {order.AwaitingServer, order.Cancelled},
	"FAILED@SERVER_READY":      {order.ServerReady, order.Cancelled},
	"FAILED@DNS_PENDING":       {order.DNSPending, order.Cancelled},
	"FAILED@DNS_READY":         {order.DNSReady, order.Cancelled},
	"FAILED@PROVISIONING":      {order.Provisioning, order.Stopping},
	"FAILED@STOPPING":          {order.Stopping},
	"FAILED@RELEASING":         {order.Releasing},
	"FAILED@FULFILLED":         {}, // no order fails there, so none comes back
	"FAILED@CANCELLED":         {},
	"FAILED@ENDED":             {},
	"FAILED@RELEASED":          {},
	"FAILED@FAILED":            {},
	"FAILED@":                  {},
}

func TestLegal_everyPair(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, from := range order.States() {
		steps := []order.State{""}
		if from == order.Failed {
			steps = append(order.States(), "")
		}
		for _, step := range steps {
			key := string(from)
			if from == order.Failed {
				key += "@" + string(step)
			}
			want, ok := legal[key]
			if !ok {
				t.Fatalf("%s is not in the table", key)
			}
			seen++
			for _, to := range append(order.States(), "", "NONSENSE") {
				if got := order.Legal(from, step, to); got != contains(want, to) {
					t.Errorf("%s to %q: %v", key, to, got)
				}
			}
		}
	}
	if seen != len(legal) {
		t.Errorf("%d of %d rows of the table were looked at", seen, len(legal))
	}
}

func contains(all []order.State, s order.State) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func TestState_Next(t *testing.T) {
	t.Parallel()
	path := order.Path()
	for i, s := range path[:len(path)-1] {
		if s.Next() != path[i+1] || !s.Live() {
			t.Errorf("%s leads to %q", s, s.Next())
		}
	}
	for s, next := range map[order.State]order.State{order.Stopping: order.Cancelled, order.Releasing: order.Released} {
		if s.Next() != next || !s.Live() || s.OnPath() || !s.GivesBack() || !next.Over() {
			t.Errorf("%s leads to %q", s, s.Next())
		}
	}
	for _, s := range []order.State{order.Fulfilled, order.Failed, order.Cancelled, order.Ended, order.Released, "", "NONSENSE"} {
		if s.Next() != "" || s.Live() {
			t.Errorf("%q is live or leads to %q", s, s.Next())
		}
	}
}

func TestOrder_Can(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    order.Order
		can  string
		want bool
	}{
		{order.Order{State: order.Failed, FailedStep: order.Provisioning}, "retry", true},
		{order.Order{State: order.Failed, FailedStep: order.Provisioning}, "cancel", false},
		{order.Order{State: order.Failed, FailedStep: order.DNSPending}, "cancel", true},
		{order.Order{State: order.DNSReady}, "retry", false},
		{order.Order{State: order.DNSReady, Mode: order.Manual}, "press", true},
		{order.Order{State: order.DNSReady, Mode: order.Auto}, "press", false},
		{order.Order{State: order.Fulfilled, Mode: order.Manual}, "press", false},
		{order.Order{State: order.Failed, FailedStep: order.Provisioning}, "stop", true},
		{order.Order{State: order.Failed, FailedStep: order.Stopping}, "stop", false},
		{order.Order{State: order.Provisioning}, "stop", true},
		{order.Order{State: order.Provisioning}, "cancel", false},
		{order.Order{State: order.DNSReady}, "stop", false},
		{order.Order{State: order.Fulfilled}, "end", true},
		{order.Order{State: order.Fulfilled}, "replace", true},
		{order.Order{State: order.Ended}, "end", false},
		{order.Order{State: order.Ended}, "keep", true},
		{order.Order{State: order.Ended, Standing: order.Former}, "keep", false},
		{order.Order{State: order.Releasing}, "keep", false},
		{order.Order{State: order.DNSReady}, "fly", false},
	} {
		if got := c.o.Can(c.can); got != c.want {
			t.Errorf("%s failed at %q, mode %s: %s %v", c.o.State, c.o.FailedStep, c.o.Mode, c.can, got)
		}
	}
	if s := (order.Order{State: order.Failed, FailedStep: order.DNSReady}).Step(); s != order.DNSReady {
		t.Errorf("a failed order stands at %s", s)
	}
}
