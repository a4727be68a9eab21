// Package netguard says which network addresses a request of the team may reach: none of this machine, none of the cloud's own, and
// none of a private network unless the owner has named it.
//
// Change here: which networks are off limits. Not here: which hosts a tool or a schedule may name (agentd/tools/registry,
// agentd/schedule/webhook).
// May import: standard library. Used by: agentd, agentd/schedule/webhook,
// agentd/tools/httprequest. Proof: go test ./agentd/netguard
package netguard
