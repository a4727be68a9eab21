// Command victim takes one call through a gate, answers its approval, and prints how it ended. The crash sweep kills
// it at every fail point and starts it again: the same directory goes on with the same call.
//
// Change here: what the sweep can vary. Not here: what must hold afterwards (agentd/gate/sweep_test.go).
// May import: agentd/gate, agentd/gate/gatetest, agentd/wire.
// Proof: go test ./agentd/gate -run Sweep
package main
