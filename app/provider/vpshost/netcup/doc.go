// Package netcup is the provider whose servers are machines in an account at netcup: a free one that our staff adopted is taken, gets a
// new system over the REST API of the Server Control Panel, and is set up over SSH. What is given back is wiped the same way before it
// is free again.
//
// Before a new system is asked for, the hub keeps where netcup's record of the machine's tasks stood. An answer that comes too late
// leaves a task that the next try finds there, so that nothing is begun twice.
//
// The hub is let in by OAuth 2.0: somebody says yes to a code (RFC 8628), and a long-lived token, sealed in the database, gets short ones.
// It is changed under a lock, for the old one may be worth nothing once a new one was given out.
//
// Change here: how netcup is spoken to, and how its refusals read. Not here: who may connect and adopt (app/providers), what is set up
// on a machine (app/provider/vpshost/setup).
// May import: app/audit, app/machine, app/provider/target, app/provider/vpshost, app/provider/vpshost/setup, app/providers, app/tune.
// Used by: cmd/hub.
// Proof: go test ./app/provider/vpshost/netcup, go test ./cmd/hub/e2e/fleet
package netcup
