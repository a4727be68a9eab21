// Package credential is the tools get_credential, generate_credential and rotate_credential. Agents get references and what
// may be known of a secret, never a value. A secret that is missing is asked of the owner: the call waits for it, through
// restarts, and goes on with the reference.
//
// Change here: what agents are told about secrets. Not here: the vault (agentd/vault), how people answer
// (agentd/vault/counter).
// May import: agentd/gate, agentd/policy, agentd/tool, agentd/vault, agentd/vault/secret, agentd/wire. Used by: agentd. Proof: go test
// ./agentd/tools/credential
package credential
