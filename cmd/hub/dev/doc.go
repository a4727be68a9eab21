// Package dev runs everything on one machine for a newcomer: where the data lies, the private Postgres, the mail
// catcher, the demo customer and staff member, and the order in which all of it starts and stops.
//
// Change here: what `make run` does around the hub. Not here: serving (cmd/hub), the cluster (db/devpg), the servers
// of customers (app/provider/vpshost/local).
// May import: app/…, db/devpg, cmd/hub/devmail. Used by: cmd/bench, cmd/hub, cmd/hub/rig. Proof: go test
// ./cmd/hub/dev
package dev
