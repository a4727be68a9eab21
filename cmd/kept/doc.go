// Package kept is the folder of this machine that tests and benchmarks keep from run to run, so that each makes only what
// changed: the programs they start, and the files of the Postgres they share. Deleting it costs the next run some seconds.
//
// Change here: where the folder lies, its locks, how programs are built into it. Not here: what runs (cmd/hub/rig,
// db/dbtest).
// May import: the standard library. Used by: cmd/hub/rig, db/dbtest (and tests of cmd/agentd and cmd/hub/e2e).
// Proof: go test ./cmd/kept
package kept
