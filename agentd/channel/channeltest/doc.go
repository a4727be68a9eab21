// Package channeltest reads and sends by a messenger in its tests, as agentd does: what comes is taken one after the other, and what goes
// passes a real gate.
//
// Change here: what the tests of all messengers need. Not here: a provider's protocol (telegramtest and the like), what must hold.
// May import: agentd/channel, agentd/gate, agentd/policy, agentd/tool, agentd/tools/tooltest. Used by: tests only.
// Proof: go test ./agentd/channel/...
package channeltest
