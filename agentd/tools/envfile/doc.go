// Package envfile reads and changes files of settings, lines of NAME=value as programs and compose files read them,
// and says which of them are secret. Comments, order and what it does not understand stay as they are.
//
// Change here: the form of such files, what counts as secret in them. Not here: the tools (agentd/tools/envread,
// agentd/tools/envupdate).
// May import: agentd/redact, the standard library. Used by: agentd/tools/envread, agentd/tools/envupdate. Proof: go test
// ./agentd/tools/envfile
package envfile
