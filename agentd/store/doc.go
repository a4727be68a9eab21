// Package store keeps the state of an agentd: one SQLite file in the state directory, one writer with group commit,
// several readers, and migrations that only go forward.
//
// Change here: how the file is opened, checked, migrated and written. Not here: what stands in the tables (the
// package that owns a table writes its SQL; only the migrations live here, numbered 001x for the gate, 002x for the
// runtime, 003x for the link).
// May import: agentd/failpoint, the standard library, modernc.org/sqlite. Used by: agentd, cmd/agentd, cmd/bench.
// If you change a table, add a migration; never edit a released one. Proof: go test ./agentd/store
package store
