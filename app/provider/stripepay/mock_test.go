package stripepay_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stripe/stripe-mock/embedded"
	mock "github.com/stripe/stripe-mock/server"

	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay"
)

// TestRequests_areWhatStripeTakes sends every request once to Stripe's own mock, which checks it against the published description
// of the API and refuses what it does not know. It keeps nothing, so what it answers is not looked at.
func TestRequests_areWhatStripeTakes(t *testing.T) {
	t.Parallel()
	spec, err := mock.LoadSpec(embedded.OpenAPISpec, "")
	if err != nil {
		t.Fatal(err)
	}
	fixtures, err := mock.LoadFixtures(embedded.OpenAPIFixtures, "")
	if err != nil {
		t.Fatal(err)
	}
	stub, err := mock.NewStubServer(fixtures, spec, false, false)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(stub.HandleRequest))
	t.Cleanup(srv.Close)
	c := stripepay.New(stripepay.Options{Key: func() string { return "sk_test_123" }, URL: srv.URL})
	ctx, now := t.Context(), time.Now()
	for what, ask := range map[string]func() error{
		"add a customer": func() error {
			_, err := c.AddPayer(ctx, "k1", payment.NewPayer{Customer: "c", Name: "The Bakery", Email: "owner@example.com", Locale: "de"})
			return err
		},
		"delete a customer": func() error { return c.RemovePayer(ctx, "cus_1") },
		"open a page": func() error {
			_, err := c.OpenPage(ctx, "k2", payment.PageAsk{
				Payment: "p", Payer: "cus_1", Amount: 4500, Currency: "EUR", Title: "Gatehouse Build", Locale: "de",
				Back: "https://hub.example/back", Cancel: "https://hub.example/pay", Until: now.Add(time.Hour),
			})
			return err
		},
		"look at a page": func() error { _, err := c.Page(ctx, "cs_1"); return err },
		"close a page":   func() error { return c.ClosePage(ctx, "cs_1") },
		"charge": func() error {
			_, err := c.Charge(ctx, "k3", payment.ChargeAsk{
				Payment: "p", Payer: "cus_1", Method: "pm_1", Amount: 4500, Currency: "EUR", Title: "Invoice 2026-000001",
			})
			return err
		},
		"look at a payment": func() error { _, err := c.Look(ctx, "pi_1"); return err },
		"find a payment":    func() error { _, err := c.Charges(ctx, "cus_1", now); return err },
		"refund": func() error {
			_, err := c.Refund(ctx, "k4", payment.RefundAsk{Refund: "r", Intent: "pi_1", Amount: 100, Why: payment.WhyTwice})
			return err
		},
		"list refunds":             func() error { _, err := c.Refunds(ctx, "pi_1"); return err },
		"look at a dispute":        func() error { _, err := c.Dispute(ctx, "dp_1"); return err },
		"look at the means of pay": func() error { _, err := c.Method(ctx, "cus_1"); return err },
		"open the portal":          func() error { _, err := c.Portal(ctx, "cus_1", "https://hub.example/app/billing"); return err },
	} {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	none := stripepay.New(stripepay.Options{Key: func() string { return "none" }, URL: srv.URL})
	if _, err := none.Look(ctx, "pi_1"); !errors.Is(err, payment.ErrAway) {
		t.Errorf("a key that is refused: %v", err)
	}
}
