// Package counter is where people hand in secrets and get them back: it answers the secrets.… questions that the hub
// relays. Values cross in boxes (agentd/wire/secretbox.go): in, sealed to this server's key; out, sealed to a key that the
// person's browser made for that one answer, and only with the signature of an approver key over it.
//
// Every sealed act needs a nonce that was asked for first. It is good for one act on one name, for a minute, and is used
// up by the first try, so that a box that comes twice, late, changed or for another secret opens nothing.
//
// Change here: what people may do with secrets, and what proves that it is them. Not here: what a secret is
// (agentd/vault), the bytes of a box (agentd/wire), pages (app/web/portal).
// May import: agentd/policy/canonical, agentd/receipt, agentd/rpc, agentd/store, agentd/vault, agentd/vault/secret, agentd/wire.
// Used by: agentd. If you change an answer, also change: agentd/wire/secret.go, app/credential. Proof: go test ./agentd/vault/counter
package counter
