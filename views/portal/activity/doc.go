// Package activity holds the pages about what the team did: the list of runs, one run with its steps and receipts, and
// the page that puts back what a write has replaced.
//
// Change here: what these pages show. Not here: how receipts and steps are read (app/web/portal/turn).
// May import: views/portal, views/…. Used by: app/web/portal, app/web/portal/turn. Proof: go test ./app/web/portal/...
package activity
