// Package portal holds the pages of the customer portal and the fragments that are pushed into them.
//
// Change here: what the pages show and in which order. Not here: what stands in the props (app/web/portal), building
// blocks (views/ui), words (views/i18n/en/portal.json).
// May import: views/…. Used by: app/web/portal, app/web/portal/turn. Proof: go test ./app/web/portal/...
package portal
