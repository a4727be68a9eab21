// Package help answers the pages of the portal with the articles that answer an owner's questions.
//
// Change here: where they are in the portal. Not here: the articles (app/help), what a page of one shows (app/web/help).
// May import: app/web/help, app/web/portal/frame, views. Used by: app/web/portal. Proof: go test ./app/web/portal/help
package help
