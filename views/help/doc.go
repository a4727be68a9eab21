// Package help is the markup of the articles that answer an owner's questions: their list, the search and one article. The same
// parts stand on the public pages and in the portal.
//
// Change here: how articles and what a search found look. Not here: what the articles say (app/help).
// May import: views/…. Used by: app/web/help, app/web/portal/frame, app/web/portal/help,
// app/web/public, views/inbox, views/portal/account, views/portal/file,
// views/portal/permission, views/portal/team, views/public.
// Proof: go test ./app/web/portal/help ./app/web/public
package help
