// Package whatsapptest is Meta's Cloud API with one number, for tests: it takes calls as published, brings signed messages and reports
// to an address until they are taken, and answers badly when it is told to.
//
// Change here: what Meta does. Not here: what a test expects.
// May import: agentd/wire. Used by: tests only. Proof: go test ./agentd/channel/whatsapp
package whatsapptest
