package public_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/payment"
)

// TestOnboard_callsOff: a customer who no longer wants to wait cancels, also while the server is set up.
func TestOnboard_callsOff(t *testing.T) {
	t.Parallel()
	for at, want := range map[order.State]order.State{order.AwaitingServer: order.Cancelled, order.Provisioning: order.Stopping} {
		h := start(t)
		b := h.browser(t)
		b.checkout("owner@example.com")
		h.advance(t, h.customer(t), at)
		if b.get("/onboard").doc(t).Find(`form[action="/onboard/cancel"]`).Length() != 1 {
			t.Fatalf("%s: the page does not offer to cancel", at)
		}
		b.fill("/onboard", "/onboard/cancel")
		o, err := h.orders.Of(t.Context(), h.customer(t))
		if err != nil || o.State != want {
			t.Errorf("%s: %s, %v", at, o.State, err)
		}
		if text := b.get("/onboard").text; !strings.Contains(text, "cancel") || strings.Contains(text, `action="/onboard/cancel"`) {
			t.Errorf("%s: the page after that: %s", at, text)
		}
	}
}

// TestOnboard_owes: who left and has not paid for long is led to the invoice, and can keep the server once it is paid.
func TestOnboard_owes(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	of := h.customer(t)
	h.advance(t, of, order.Fulfilled)
	o, err := h.orders.Of(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.orders.End(t.Context(), of, o.ID, order.Closed, audit.Actor{Kind: audit.Staff, Name: "s", Role: "OWNER"}); err != nil {
		t.Fatal(err)
	}
	h.orders.MayKeep = func(context.Context, account.CustomerID) error { return payment.ErrOwes }
	page := b.get("/onboard").doc(t)
	if page.Find(`form[action="/onboard/keep"]`).Length() != 0 || page.Find(`a[href="/app/billing"]`).Length() != 1 {
		t.Errorf("while something is owed: %s", page.Find("main").Text())
	}
	h.orders.MayKeep = func(context.Context, account.CustomerID) error { return nil }
	b.fill("/onboard", "/onboard/keep")
	if o, err = h.orders.Of(t.Context(), of); err != nil || o.State != order.Fulfilled {
		t.Errorf("%s after it was paid, %v", o.State, err)
	}
}

// TestOnboard_ended: the page of an ended order says when the server is released; who left keeps it there, others are told to write.
func TestOnboard_ended(t *testing.T) {
	t.Parallel()
	for why, keeps := range map[order.EndReason]bool{order.Closed: true, order.Refunded: false} {
		h := start(t)
		b := h.browser(t)
		b.checkout("owner@example.com")
		of := h.customer(t)
		h.advance(t, of, order.Fulfilled)
		o, err := h.orders.Of(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.orders.End(t.Context(), of, o.ID, why, audit.Actor{Kind: audit.Staff, Name: "s", Role: "OWNER"}); err != nil {
			t.Fatal(err)
		}
		page := b.get("/onboard")
		if !strings.Contains(page.text, "Your server is kept until") ||
			page.doc(t).Find(`form[action="/onboard/keep"]`).Length() == 1 != keeps {
			t.Errorf("%s: %s", why, page.text)
		}
		if keeps {
			b.fill("/onboard", "/onboard/keep")
		}
		if o, err = h.orders.Of(t.Context(), of); err != nil || (o.State == order.Fulfilled) != keeps {
			t.Errorf("%s: %s after keeping, %v", why, o.State, err)
		}
	}
}
