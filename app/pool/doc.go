// Package pool is the machines of our own that wait for customers: our staff add them, look at them, hold them back and take them
// off the list; orders take them.
//
// Change here: what a machine of the pool is and what may be done with it. Not here: how a machine is reached
// (app/provider/target), what is set up on it (app/provider/vpshost/setup), rows (db).
// May import: app/audit, app/fault, app/staff. Used by: app/provider/vpshost/pool, app/provider/vpshost/setup, app/web/admin, app/web/api,
// db, cmd/hub.
// Proof: go test ./app/pool ./db
package pool
