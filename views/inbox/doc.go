// Package inbox holds the approval card, the inbox and the pages around one approval.
//
// Change here: what a card shows and in which order. Not here: what stands in the props (app/web/inbox), building
// blocks (views/ui), words (views/i18n).
// May import: views/…. Used by: app/web/inbox, app/web/inbox/card, app/web/portal, views/portal.
// Proof: go test ./app/web/inbox/...
package inbox
