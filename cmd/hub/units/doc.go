// Package units holds the systemd units that are shipped for the hub: serving and working, backups, and the user that they run
// as, each with what it needs and no more.
//
// Change here: what the services may do. Not here: what the hub does without systemd (nothing needs it).
// May import: the standard library. Used by: cmd/hub. If you change a path, a user or a name, also change: docs/OPERATING.md.
// Proof: go test ./cmd/hub/units
package units
