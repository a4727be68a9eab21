// Package e2e drives the shipped programs as a person would: `hub dev` as a process of its own with a real Postgres
// and a real agentd, pages in a real Chromium, outside effects looked up where they happen.
//
// Change here: stories, faults and accessibility of the whole. Not here: what one package promises (its own tests).
// May import: cmd/hub/dev. Used by: tests only. Proof: go test ./cmd/hub/e2e
package e2e
