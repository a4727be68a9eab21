// Package failpoint marks the points at which a process may die, so that a test can make it die at each of them.
// Without the build tag failpoint every mark is empty and costs nothing.
//
// Change here: how a point is chosen. Not here: what must hold afterwards (the sweeps of agentd/gate, agentd/vault and
// cmd/hub/e2e).
// May import: the standard library. Used by: agentd.
// Proof: go test ./agentd/gate ./agentd/vault ./cmd/hub/e2e/crash -run Sweep
package failpoint
