// Package repocheck holds tests about the repository itself: which way imports point, package comments, what a
// binary links, what the README promises. It has no code of its own.
//
// Change here: rules about the repository. Not here: what linters can check (.golangci.yml).
// May import: the standard library. Used by: tests only. Proof: go test ./cmd/repocheck
package repocheck
