// Package devpg runs a private Postgres for development and tests: its own cluster in a folder of ours, on a port of
// loopback, as an unprivileged user when we are root. It never starts or touches a cluster of the machine's own.
//
// Change here: where binaries are looked for, how the cluster is made, started, adopted and stopped. Not here: what
// is in the database (db, migrations).
// May import: the standard library. Used by: cmd/bench, cmd/hub/dev, db/dbtest. Proof: go test ./db/devpg
package devpg
