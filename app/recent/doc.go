// Package recent spares the same question when it comes again at once: answers are believed for a moment.
//
// Change here: how answers are forgotten and memory is bounded. Not here: what is asked, and for how long an answer may
// be believed, which its user decides.
// May import: the standard library. Used by: app/account, app/server, app/web/portal/frame. Proof: go test ./app/recent
package recent
