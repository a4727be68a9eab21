// Package health turns what the hub knows of a server into the props that show how it is.
//
// Change here: which figures of a heartbeat pages show. Not here: the heartbeat (agentd/wire), how the figures look
// (views/portal/server).
// May import: app/server, views. Used by: app/web/portal/home, app/web/portal/server. Proof: go test ./app/web/portal/...
package health
