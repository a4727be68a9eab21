// Package pricing holds the plans and what they cost, in whole cents.
//
// Change here: plans and amounts. Not here: how a payment is taken (app/order's checkout), pages that show prices
// (views/public).
// May import: app/fault. Used by: app/order, app/web/admin, app/web/public, cmd/bench, cmd/hub, db. Proof: go test
// ./app/pricing
package pricing
