// Package mailtest gives tests a real mail server: Dovecot and Postfix of the distribution on free ports of loopback, with folders that
// go away, and wires that can be cut.
//
// Change here: the servers and the wires. Not here: what must hold (the tests that use them).
// May import: the standard library. Used by: tests only. Proof: go test ./agentd/channel/email
package mailtest
