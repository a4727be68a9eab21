// Package stripepay asks Stripe: it is payment.Provider, and the only package that knows stripe-go.
//
// The version of the API is the one of stripe-go v76 (2023-10-16), which is sent with each request, so objects have the shape of
// then whatever an account's own version is. The library tries nothing again by itself: keys, pauses and when to give up are ours.
// Events are read from the bytes that were signed; all that is taken from them is where to look.
//
// Change here: how Stripe is asked, and what its answers mean. Not here: when (app/payment). Stripe's stand-in for tests is
// app/provider/stripepay/stripetest.
// May import: app/payment, app/pricing, github.com/stripe/stripe-go/v76. Used by: cmd/hub.
// Proof: go test ./app/provider/stripepay
package stripepay
