// Package people answers the pages of the people of a business: who they are, what each may do, and invitations.
//
// Change here: how the pages read and answer forms. Not here: who may change what (app/account), the page behind an
// invitation (app/web/public), markup (views/portal/people).
// May import: app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/people
package people
