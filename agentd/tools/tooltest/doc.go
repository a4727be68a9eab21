// Package tooltest lets tests of tools make calls the only way there is: through a real gate on a real store.
//
// Change here: the harness. Not here: what must hold (the tests beside each tool).
// May import: agentd/gate, agentd/gate/gatetest, agentd/policy, agentd/store/storetest, agentd/tool,
// agentd/tools/dataroot, agentd/wire.
// Used by: tests only. Proof: go test ./agentd/tools/...
package tooltest
