// Package image makes a container image of the hub: the two static programs, the certificates that public servers are known by,
// and nothing else, no shell either.
//
// Change here: what is in the image. Not here: what the hub reads at the start (cmd/hub).
// May import: the standard library, go-containerregistry. Used by: cmd/hub. If you change a path or the user, also change:
// docs/OPERATING.md. Proof: go test ./cmd/hub/image
package image
