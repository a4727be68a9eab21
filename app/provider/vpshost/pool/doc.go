// Package pool is the provider whose servers are machines of our own: a free one of the pool is taken, and set up over SSH.
//
// Change here: how the pool serves orders. Not here: what the pool is (app/pool), what is set up (app/provider/vpshost/setup).
// May import: app/pool, app/provider/target, app/provider/vpshost, app/provider/vpshost/setup. Used by: cmd/hub.
// Proof: go test ./app/provider/vpshost/pool, go test ./cmd/hub/e2e/fleet
package pool
