// Package rig builds and runs the shipped programs as processes of their own, for browser tests and benchmarks: `hub
// dev` in a folder of its own on a free port, with everything it starts.
//
// Change here: how the programs are built, started, killed and found. Not here: stories (cmd/hub/e2e), figures
// (cmd/bench).
// May import: cmd/hub/dev, cmd/kept. Used by: cmd/bench. Proof: go test ./cmd/hub/rig ./cmd/hub/e2e/...
package rig
