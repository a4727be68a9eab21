// Package hook takes what other services send by themselves, each with its own proof in the request: Stripe with its signature,
// and anybody to whom a customer gave the address of a hook with what that hook asks for, which the server checks. What messengers bring to
// the address of a channel goes the same way (bring.go).
//
// Change here: which services send, and where. Not here: how a signature is checked (app/provider), what follows (app/payment,
// agentd/hook).
// May import: agentd/wire, app/fault, app/payment, app/web, google/uuid. Used by: cmd/hub. Proof: go test ./app/web/hook
package hook
