// Package help puts the articles of app/help on pages: their list, what a search finds, and one article. The public pages and
// the portal show the same.
//
// Change here: what of an article a page shows. Not here: the articles and the search (app/help), markup (views/help), routes.
// May import: app/fault, app/help, app/web/markdown, views. Used by: app/web/portal/help, app/web/public.
// Proof: go test ./app/web/portal/help ./app/web/public
package help
