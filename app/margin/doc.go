// Package margin says for our staff what customers cost and bring in: the base cost of models in a month beside what was invoiced in
// it, and which agents cost out of proportion.
//
// Change here: what counts as cost and as revenue, when an agent stands out. Not here: what customers pay (app/billing, app/pricing),
// SQL (db/margins.go).
// May import: app/fault, app/pricing. Used by: app/web/admin, app/web/api, cmd/hub, db. Proof: go test ./app/margin ./db -run Margin
package margin
