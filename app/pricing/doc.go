// Package pricing is the arithmetic of what customers pay: plans, pools, markups, charges of tokens, tax, and the book in which prices
// stand with the moment from which they hold. Everything is computed in whole numbers; what is rounded is rounded once, half upward.
//
// Change here: how an amount comes about, what a price may be. Not here: what a customer owes (app/billing), how a payment is taken
// (app/order's checkout), pages that show prices (views/public, views/admin).
// May import: app/fault. Used by: app/billing, app/margin, app/order, app/payment, app/provider/ecb, app/provider/stripepay, app/web,
// cmd/bench, cmd/hub, db. Proof: go test ./app/pricing
package pricing
