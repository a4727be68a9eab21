// Package live keeps open pages of the portal up to date: one stream for each page, which pushes what changed of the menu
// and of the page's topic.
//
// Change here: when a page is looked at again and how often, what the menu is told. Not here: what a page shows (the
// topics of the sections), the events themselves (app/web).
// May import: agentd/wire, app/…, app/web/portal/frame, app/web/portal/roster, views. Used by: app/web/portal.
// Proof: go test ./app/web/portal/...
package live
