// Package failpoint marks the points at which a process may die, so that a test can make it die at each of them.
// Without the build tag failpoint every mark is empty and costs nothing.
//
// Change here: how a point is chosen. Not here: what must hold afterwards (agentd/gate's crash sweep).
// May import: the standard library. Used by: agentd.
// Proof: go test ./agentd/gate -run Sweep
package failpoint
