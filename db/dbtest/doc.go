// Package dbtest gives each test a database of its own on a real Postgres: one cluster for all test programs that run, one
// migrated template, a clone per test.
//
// Change here: how test databases are made, who starts and stops their cluster. Not here: the cluster (db/devpg), the schema
// (migrations).
// May import: app/work, cmd/kept, db, db/devpg, migrations. Used by: tests only. Proof: go test ./db/...
package dbtest
