// Package doctor looks at a server and says what protection really holds, and how to mend what does not.
//
// Change here: what is looked at, and the advice. Not here: the protection itself (agentd/sandbox, agentd/store).
// May import: agentd/llm/socket, agentd/sandbox, agentd/store, agentd/tool, agentd/vault, the standard library,
// golang.org/x/sys. Used by: cmd/agentd. Proof: go test ./agentd/doctor
package doctor
