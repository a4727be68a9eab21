// Package show puts times, durations and sizes into the words that pages use.
//
// Change here: how a moment, a span or an amount reads. Not here: labels around them (views/i18n).
// May import: the standard library. Used by: app/web/inbox, app/web/inbox/card, app/web/portal, app/web/portal/turn.
// Proof: go test ./app/web/show
package show
