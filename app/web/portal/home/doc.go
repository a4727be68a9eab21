// Package home answers the first page of the portal: what needs the reader, who works, what was really done and how the
// server is.
//
// Change here: what the page sums up. Not here: the sections that it leads to, its markup (views/portal/home).
// May import: agentd/wire, app/…, app/web/portal/server, views. Used by: app/web/portal.
// Proof: go test ./app/web/portal/home
package home
