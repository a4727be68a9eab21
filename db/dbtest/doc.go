// Package dbtest gives each test a database of its own on a real Postgres: one cluster per test binary, one migrated
// template, a clone per test.
//
// Change here: how test databases are made. Not here: the cluster (db/devpg), the schema (migrations).
// May import: db, db/devpg. Used by: tests only. Proof: go test ./db/...
package dbtest
