// Package fleet tests how customers' servers come to be on machines of their own: whole Debian machines that the hub reaches over
// SSH.
//
// Change here: what an order does with a machine. Not here: the single steps (app/provider/vpshost/setup), servers on the hub's
// own machine (cmd/hub/e2e/story), the rig (cmd/hub/e2e).
// May import: app/provider/target, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/fleet
package fleet
