// Package inbox holds the approval card in words, the inbox and the pages around one approval.
//
// Change here: what a card says and in which order. Not here: what stands in the props (app/web/inbox), how a card
// looks (views/ui), words (views/i18n/en/inbox.json).
// May import: views/…. Used by: app/web/inbox, app/web/inbox/card, app/web/portal, app/web/portal/turn, views/portal/home.
// Proof: go test ./app/web/inbox/...
package inbox
