// Package hook takes what other services send by themselves, each with its own proof in the request: the signature of Stripe.
//
// Change here: which services send, and where. Not here: how a signature is checked (app/provider), what follows (app/payment).
// May import: app/payment, app/web. Used by: cmd/hub. Proof: go test ./app/web/hook
package hook
