// Package admin holds the pages of the staff console: customers, orders with stepper and live log, servers. Staff see
// who, which tool, which tier, when and how many; never what a customer wrote.
//
// Change here: what the console shows and how. Not here: approvals (views/inbox), frames (views/layout), components
// (views/ui), what may be done (app/order, app/staff).
// May import: views/chart, views/layout, views/ui, views/i18n. Used by: app/web/admin, cmd/hub. Proof: go test ./app/web/admin
package admin
