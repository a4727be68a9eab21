// Package signaltest gives tests a server that speaks as signal-cli's daemon does over HTTP, on loopback: one account, the people and
// groups that write to it, what the account has sent; and it answers badly where a test asks for that.
//
// Change here: the protocol as signal-cli documents it. Not here: what must hold (the tests that use it).
// May import: the standard library. Used by: tests only. Proof: go test ./agentd/channel/signal/...
package signaltest
