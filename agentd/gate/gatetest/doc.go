// Package gatetest lets tests judge the gate from outside: fake tools whose every effect is a line in a file that
// survives any crash, and a whole gate on a real store to run them.
//
// Change here: fakes and harness. Not here: what must hold (the tests beside the gate).
// May import: agentd/config, agentd/gate, agentd/policy, agentd/receipt, agentd/store, agentd/tool, agentd/wire.
// Used by: agentd/gate/gatetest/victim, agentd/tools/tooltest, cmd/bench.
// Proof: go test ./agentd/gate
package gatetest
