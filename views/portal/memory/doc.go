// Package memory holds the page of what the team remembers.
//
// Change here: what the page shows of notes. Not here: what stands in the props (app/web/portal/memory), how forms are signed in the
// browser (static/js: keyring, upload).
// May import: static, views/portal, views/…. Used by: app/web/portal/memory. Proof: go test ./app/web/portal/memory
package memory
