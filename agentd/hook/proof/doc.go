// Package proof says whether something that came to a hook is of its sender, and by what it is known again when it comes twice.
// It is pure: the time, the secret and what was sent are handed in.
//
// Change here: the ways in which senders show who they are, and what makes two deliveries the same. Not here: what becomes of a
// delivery (agentd/hook).
// May import: agentd/wire. Used by: agentd/hook, agentd/schedule/webhook. Proof: go test ./agentd/hook/...
package proof
