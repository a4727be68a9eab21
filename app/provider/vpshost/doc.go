// Package vpshost is what the hub needs of a place where customers' servers run, and of the names they are reached by.
//
// Change here: what every such place can do. Not here: one kind of place (vpshost/local), the order of steps
// (jobs/provision).
// May import: the standard library. Used by: app/provider/vpshost, cmd/bench, cmd/hub, jobs/provision.
// Proof: go test ./app/provider/vpshost/...
package vpshost
