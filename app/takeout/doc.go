// Package takeout takes whole lists out for our staff, a stretch at a time, and puts on record who took what.
//
// Change here: how much one export has, what its record says. Not here: the lists (app/order, app/account), the files that pages
// make of them (app/web/admin).
// May import: app/audit, app/page. Used by: app/web, cmd/hub. Proof: go test ./app/takeout ./app/web/admin
package takeout
