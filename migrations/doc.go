// Package migrations is the schema of the hub's database: numbered SQL files, embedded in the binary.
//
// Change here: tables, constraints, triggers, always by adding the next number. A file that was released is never
// edited: db.Migrate compares its checksum with what the data was made with and refuses. Not here: queries (db).
// May import: the standard library. Used by: db. Proof: go test ./db
package migrations
