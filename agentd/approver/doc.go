// Package approver holds the keys of the people who may allow, and checks what they sign. The hub carries decisions
// but cannot make one: without a signature of a key that is enrolled here, nothing is allowed.
//
// The very first start takes one key from a seed, which the installer of the server left for it: the key of the browser
// that ordered. A seed at any other time is refused. All other keys are enrolled in one of three ways. With a code that
// was printed on the server's own console and never passes the hub: the browser derives a key from it (PBKDF2, 600,000
// rounds) and authenticates its public key with that; a hub that sees the request can neither put another key in its
// place nor find the code, which has 60 bits, five tries and a day to live. The server answers with a code of the same
// kind, so that the browser knows who answered. While no key is enrolled the code is enough; afterwards it must be signed
// by a key that is. With a signature of an enrolled key over exactly the new key. Or with the recovery code, which is kept
// only as a slow hash: the console printed it once, or it was sealed to the browser of an enrolled key, which shows it
// once. What remains is that the hub serves the page in which the browser's key works: docs say so.
//
// Change here: how keys are seeded, enrolled, revoked and checked, the recovery code, what a signature must say. Not here:
// what a decision does (agentd/gate), the texts that are signed (agentd/wire/signed.go), pages (app/web/portal).
// May import: agentd/gate, agentd/policy/canonical, agentd/receipt, agentd/rpc, agentd/store, agentd/wire.
// Used by: agentd, agentd/gate/gatetest, agentd/support, cmd/agentd.
// If you change a text or a rule, also change: agentd/wire/signed.go, agentd/wire/recovery.go,
// static/js/keyring.js, static/js/recovery.js. Proof: go test ./agentd/approver
package approver
