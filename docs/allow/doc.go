// Command allow decides approvals through the JSON API, as the owner of the demo and with the demo's key: an example to
// copy from, which therefore needs nothing but the standard library.
//
//	make run              # in one terminal
//	go run ./docs/allow   # in another: shows what waits, one after the other, and asks
//
// Change here: how a client reads, hashes and signs. Not here: what is signed (agentd/wire).
// May import: the standard library. Used by: nobody. Proof: go test ./docs/allow, ./cmd/hub/e2e/story -run TestAllowExample
package main
