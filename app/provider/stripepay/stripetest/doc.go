// Package stripetest stands in for Stripe in tests, over HTTP: customers, Checkout Sessions with their page, PaymentIntents, means of
// payment, refunds, disputes, the customer portal, and signed events. It keeps state, and the answers under idempotency keys, and it
// can refuse, be away, answer badly, or do what it was asked and not say so.
//
// It is written from what Stripe publishes about its API of 2023-10-16, and shares no code with what asks it. stripe-mock checks that
// what we send is what Stripe takes (app/provider/stripepay, mock_test.go).
//
// Change here: what Stripe says. Not here: what we do with it (app/provider/stripepay, app/payment).
// May import: the standard library. Used by: tests only. Proof: go test ./app/provider/stripepay
package stripetest
