// Package home holds the first page of the portal: what needs the reader, who works, what was really done and how the
// server is.
//
// Change here: what the page shows and in which order. Not here: what stands in the props (app/web/portal).
// May import: views/inbox, views/portal, views/portal/channel, views/portal/server, views/…. Used by: app/web/portal.
// Proof: go test ./app/web/portal/...
package home
