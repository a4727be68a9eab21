// Package googlechattest is Google Chat with one app, for tests: its REST API, the place where a key is changed for a token, and the
// certificates by which it signs the events that it brings to an address. It answers badly when it is told to.
//
// Change here: what Google does. Not here: what a test expects.
// May import: agentd/wire, golang-jwt/jwt. Used by: tests only. Proof: go test ./agentd/channel/googlechat
package googlechattest
