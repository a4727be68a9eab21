// Package vaulttest gives tests a real vault behind a real gate, in a state directory of their own.
//
// Change here: what tests of secrets have in common. Not here: the tests.
// May import: agentd/config, agentd/gate, agentd/receipt, agentd/store,
// agentd/store/storetest, agentd/vault, agentd/wire. Used by: tests only.
package vaulttest
