// Package canonical writes JSON in the one form that is hashed and compared: RFC 8785, after refusing what two
// parsers could read in two ways (duplicate keys, invalid UTF-8, lone surrogates, integers beyond ±2^53).
//
// Change here: nothing, short of a new version of the digest: every hash of a call or a receipt depends on it.
// May import: the standard library. Used by: agentd, app/team, app/web/inbox/card, cmd/agentd, cmd/hub, cmd/hub/rig.
// Proof: go test ./agentd/policy/canonical (differential fuzz against a second implementation)
package canonical
