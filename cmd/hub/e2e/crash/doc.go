// Package crash tests the product when one of its processes is killed at any moment: agentd, the hub, Postgres. The process
// comes back, work goes on where it was, and nothing is done twice.
//
// Change here: what is killed and when. Not here: what is cut, full or late (cmd/hub/e2e/fault), the rig (cmd/hub/e2e).
// May import: agentd/wire, cmd/hub/e2e, cmd/hub/rig, cmd/kept. Used by: nobody. Proof: go test ./cmd/hub/e2e/crash
package crash
