// Package external fetches the values of secrets that live in an external vault: HashiCorp Vault or OpenBao, KV version 2.
//
// The way of a value. The operator tells agentd of one external vault (AGENTD_KV_…), and says which secret comes from
// which field there (agentd secrets source). A Follower, in agentd alone, looks at its start, every minute and when it is
// asked to: first at the metadata of each secret, which holds no value, and at the data only when the version is another
// one. A new value goes into the local vault as a new version. That tells redaction and the model proxy before anybody
// can be given the value, as with every other; bindings, leases, audit and history are the local vault's.
//
// So a fetched value rests here, sealed like the others. Without that, a restart while the external vault is away would
// leave redaction ignorant of values that stand in old transcripts and files, and calls would fail for as long. What it
// costs is said in the age: a value is used for AGENTD_KV_MAX_AGE after the external vault has last vouched for it, then
// no more. One that was deleted or destroyed there is not used from the next look on. Redaction goes on with both. What
// the external vault says or does not say stops nothing else.
//
// The external vault is believed in what a value is, and in nothing else: answers have a size and a time, lead nowhere (no
// redirects, no proxies), and no word of them comes into an error, a log or a table. What agentd shows to it (a token, or
// the secret id of AppRole) is read from a file of mode 0600 and stays in memory. A token of a file is asked how long it
// lives, so it needs the policy default; the policy for the values is read on metadata and on data.
//
// A look has a time, and one path that is never answered holds up no other: the next look begins behind it.
//
// Sources: openbao.org/api-docs/secret/kv/kv-v2, /auth/approle, /auth/token and, for the status codes, /api-docs; the
// same paths below developer.hashicorp.com/vault. That a deleted or destroyed version answers 404 with its metadata
// stands in the engine's own path_data.go alone. A 404 that is not in the vault's own form comes from something before it,
// and makes no secret go.
//
// Change here: how the external vault is asked. Not here: what a secret is, and when it may be used (agentd/vault).
// May import: agentd/vault, agentd/vault/secret, golang.org/x/net. Used by: agentd, cmd/agentd.
// If you change a setting, also change: cmd/agentd/config.go, README.md. Proof: go test ./agentd/vault/external
package external
