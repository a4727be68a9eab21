// Package bare holds the programs that figures are compared with: the same libraries doing the same work without the
// product. What they leave out is what the product costs.
//
// Change here: what a control does. Not here: how figures and controls are taken (cmd/bench).
// May import: agentd/store, db, the libraries of both programs. Used by: cmd/bench. Proof: go test ./cmd/bench
package bare
