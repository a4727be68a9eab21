// Package accounttest gives tests a password hasher that costs next to nothing.
//
// Change here: what passwords cost in tests. Not here: what they cost people (app/account).
// May import: app/account. Used by: tests only. Proof: go test ./app/account
package accounttest
