// Package linear tests that the time of something grows with the size of its input and not with the square of it.
//
// Change here: how growth is measured. Not here: what is measured.
// May import: the standard library and golang.org/x/sys. Used by: tests only. Proof: go test ./agentd/linear
package linear
