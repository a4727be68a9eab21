// Package vault keeps the secrets of a server: sealed at rest, versioned, bound to the places where they may be used,
// leased to single calls, and every access on record.
//
// Each value is sealed with XChaCha20-Poly1305 under a data key of its own, with a random nonce of 192 bits; additional
// data is id, name and version. Data keys are wrapped by the master key, with the master key's id in the additional
// data. Names, bindings and the rest stand in clear, and a MAC under a key made from the master key covers every row: a
// row that was changed, swapped or put back to what it was is an error, not an older secret. What that MAC cannot see
// is all of the vault put back to an older copy: the receipts' checkpoints, kept elsewhere, show that of a whole database,
// and nothing does of the vault's tables alone. Who can do that may write the state directory and is trusted with it.
//
// The master key comes from the systemd credential vault.key, else from the file vault.key in the state directory (mode
// 0600 or nothing starts), else from a passphrase by argon2id. A key file lies beside the database. It protects a copy
// of the database alone (a backup, a dump, a page of a disk), not a copy of the whole state directory, and nothing
// against root or agentd's own user on the running server. The demo and a server without systemd make one at their
// first start. To keep the key apart from the data, give it as a systemd credential (LoadCredentialEncrypted= binds it
// to the machine or its TPM) or use a passphrase.
//
// The last five versions of a secret can be made current again. Older ones are kept for redaction alone, so that a value
// which was once used is still taken out of texts: for 90 days after it was given up, however many came after it; then
// only while there are no twenty newer ones. Whoever is not on the server itself gives a secret twenty new versions a day
// at most and all secrets together 200, and makes no new secret where there are a thousand (Sparing), so that nobody
// fills the machine by that; agents stop at ten, 50 and 900, so that they leave some to people (SparingAgents). 2,000 are
// kept of those who are not held back.
//
// A secret has one rotation at a time. A new value counts as not taken when the service has said so, or still takes the
// old one after it has had its time. Until then nobody knows, and both are kept.
//
// The value of a secret may come from an external vault instead (its origin). What is kept here then is a copy, for
// redaction and for use up to a longest age; it is changed there and nowhere else. Origin and age are covered by the MAC
// like everything else. What the external vault does not vouch for anymore is not given out: an UnusableError says why.
//
// Change here: how secrets are kept, bound, leased, made and rotated, how long a copy is good. Not here: where in a call
// they may stand (agentd/gate, agentd/tools/…), what is taken out of texts (agentd/redact), how people reach it
// (agentd/vault/counter), how the external vault is asked (agentd/vault/external).
// May import: agentd/failpoint, agentd/gate, agentd/redact, agentd/store, agentd/tool, agentd/vault/secret, agentd/wire,
// golang.org/x/crypto. Used by: agentd, cmd/agentd. If you change a table, add a migration to agentd/store. Proof: go
// test ./agentd/vault
package vault
