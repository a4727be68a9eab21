// Package server answers the page of the customer's machine: how it is, and what protects it.
//
// Change here: how the page finds out whether the server answers. Not here: what a heartbeat tells (app/server), markup
// (views/portal/server).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/server
package server
