// Package backup takes a hub's database, together with its key file, into one encrypted file, and puts it back. Either the
// whole is there afterwards or nothing was changed.
//
// A backup is a tar archive encrypted with age: manifest.json, secret.key, the pieces of a pg_dump in its custom format, and
// end.json with their checksum. So it opens without this program, too: age --decrypt FILE | tar --extract.
//
// Change here: what a backup holds, how it is checked. Not here: the commands (cmd/hub), when backups are taken (cmd/hub/units).
// May import: db, age, pgx. Used by: cmd/hub. Proof: go test ./db/backup
package backup
