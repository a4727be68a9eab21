// Package fault tests the product while something is killed, cut, stopped, full or late: agentd, the hub, Postgres, the
// link, the disk, the model, a page's stream.
//
// Change here: what is broken and what must hold.
// Not here: single packages under faults (their own tests), the rig (cmd/hub/e2e).
// May import: agentd/wire, cmd/hub/e2e, cmd/hub/rig, cmd/kept. Used by: nobody. Proof: go test ./cmd/hub/e2e/fault
package fault
