// Package support draws the page on which the owner lets our staff look at content of the server for some hours, and what was
// looked at.
//
// Change here: markup of the section. Not here: what it shows (app/web/portal/support).
// May import: views. Used by: app/web/admin, app/web/portal/support, views/admin. Proof: go test ./app/web/portal/support
package support
