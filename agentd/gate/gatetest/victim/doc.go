// Command victim takes one call through a gate, answers its approval, and prints how it ended. The crash sweep builds it with
// the tag failpoint, kills it at fail points (in the soak at all of them) and starts it again: the same directory goes on with
// the same call.
//
// Change here: what the sweep can vary. Not here: what must hold afterwards (agentd/gate/sweep_test.go).
// May import: agentd/gate, agentd/gate/gatetest, agentd/wire.
// Proof: go test ./agentd/gate -run Sweep
package main
