// Package payment holds the rules about money that is taken: what a customer pays before an order is made, what is collected for an
// invoice, what is given back, and what becomes of a payment that fails.
//
// We compute, the payment provider collects. Every payment, checkout and refund is a row of ours before the provider hears of it,
// and each outgoing write carries a key made of that row: whoever is killed between the provider's answer and our commit asks again
// and gets the same object. What is older than the provider remembers keys is looked up first by the id that we left in it.
//
// What the provider says by itself is a hint. A webhook, the browser that returns and the clock all lead to the same look at the
// object's present state (look.go), so they may come in any order, many times, or never.
//
// Change here: when money is taken and given back, when an order is made of a payment. Not here: how the provider is asked
// (app/provider/stripepay), SQL (db/payments.go), what stands on an invoice.
// May import: app/account, app/audit, app/billing, app/fault, app/order, app/pricing, app/staff, app/work. Used by:
// app/provider/stripepay, app/web/admin, app/web/hook, app/web/portal, app/web/public, cmd/hub, db, jobs. Proof: go test
// ./app/payment ./app/provider/stripepay ./jobs -run Payment
package payment
