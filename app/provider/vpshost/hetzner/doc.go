// Package hetzner is the provider that rents machines at Hetzner Cloud: one is made for each order, set up over SSH, and deleted when
// the server is given back.
//
// Each machine carries the server's id as a label. An answer that comes too late leaves a machine that the next try finds by it, so
// that none is made twice and none is forgotten.
//
// Change here: how a machine is rented, and how the API's refusals read. Not here: what is set up on it
// (app/provider/vpshost/setup), which plan gets which machine (the operator's HETZNER_MACHINES).
// May import: app/machine, app/provider/target, app/provider/vpshost, app/provider/vpshost/setup, app/tune. Used by: cmd/hub, db.
// Proof: go test ./app/provider/vpshost/hetzner, go test ./cmd/hub/e2e/fleet
package hetzner
