// Package storetest gives tests a database faster than each can make its own.
//
// Change here: how it is made. Not here: what is in it (agentd/store).
// May import: agentd/store. Used by: tests only. Proof: go test ./agentd/store/storetest
package storetest
