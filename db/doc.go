// Package db keeps the hub's data in Postgres: one file per table, each with its row type and its queries.
//
// Change here: how domain values are stored and found. Not here: rules (app/…), the schema (migrations), what follow-up
// work does (jobs). Row types never leave this package: toXRow makes one of a domain value, a method named after the
// value turns it back. A method that touches a customer's data takes the customer's id, or the id of a server that the
// link has proven.
//
// Queries are bun's. A store reads and writes through DB.bun(ctx), which is the transaction of ctx when there is one, and
// runs what must hold together in DB.InTx; a change that asks for follow-up work queues it there, through Enqueuer. Links,
// approvals and the look at a sign-in run prepared statements of pgx instead, through DB.pgx(ctx), with named values:
// every frame or page passes through them.
//
// The migrator is ours: goose and bun's migrator keep no checksum of an applied file and go ahead when the data is newer
// than the program. Around either, most of migrate.go would remain, and goose would want marks in files that were released.
//
// May import: app/…, agentd/wire, migrations. Used by: cmd/bench, cmd/hub, db/backup, db/dbtest. Proof: go test ./db
package db
