// Package fault tests the product while something is cut, stopped, full or late: the link, the disk, the model, a question, the
// stream of a page.
//
// Change here: what is broken and what must hold. Not here: killed processes (cmd/hub/e2e/crash), single packages under faults
// (their own tests), the rig (cmd/hub/e2e).
// May import: agentd/wire, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/fault
package fault
