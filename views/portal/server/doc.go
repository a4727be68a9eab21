// Package server holds the page of the customer's machine: how it is, what runs on it and what protects it.
//
// Change here: what the page shows. Not here: what a heartbeat tells (agentd/wire).
// May import: views/portal, views/…. Used by: app/web/portal, views/portal/home. Proof: go test ./app/web/portal/...
package server
