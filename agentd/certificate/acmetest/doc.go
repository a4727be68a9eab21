// Package acmetest is a certificate authority for tests: Pebble, the test authority of the makers of Let's Encrypt, behind TLS of its own,
// with a resolver that says where names lead. It rejects some nonces on purpose, as Pebble does.
//
// Change here: what a test can have the authority do. Not here: what is asked of it (agentd/certificate).
// May import: Pebble, github.com/miekg/dns. Used by: nobody. Proof: go test ./agentd/certificate
package acmetest
