// Package graph turns what a server measured into the props of its charts, for the pages of owners and of staff.
//
// Change here: which figures charts show, and which span a page opens with. Not here: how they are drawn (views/chart).
// May import: app/server, views/chart. Used by: app/web/admin, app/web/api, app/web/portal/server.
// Proof: go test ./app/web/admin ./app/web/portal/server
package graph
