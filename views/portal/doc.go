// Package portal holds what several sections of the customer portal show: the addresses that lead from one section to
// another, an agent with its level, a run in a list, the notice of a change on its way, and that the server is away.
//
// Change here: what more than one section shows. Not here: the pages of a section (views/portal/…), building blocks
// (views/ui), words (views/i18n/en/portal.json).
// May import: views/i18n, views/layout, views/ui. Used by: app/web/admin, app/web/portal, app/web/portal/turn, views/portal/…,
// views/welcome.
// Proof: go test ./app/web/portal/...
package portal
