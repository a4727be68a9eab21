// Package people holds the pages of the people of a business: who they are, what each may do, and invitations.
//
// Change here: what the pages show. Not here: who may change what (app/account), the page behind an invitation (views/public).
// May import: views/portal, views/…. Used by: app/web/portal. Proof: go test ./app/web/portal/people
package people
