// Package rates keeps the exchange rate of the day in the price book: the reference rate that the European Central Bank publishes on
// working days about 16:00 in Frankfurt.
//
// A rate is stored once for its day, as if our staff had entered it, and never beside what they entered for that day. One that is more
// than a fifth off the last is not believed. Somebody is told when there was none for three working days, or one was not believed;
// an invoice waits for its rate, it is never computed with a guess.
//
// Change here: when a rate is looked for, which are believed, when somebody is told. Not here: what a rate does to an amount
// (app/pricing), how the bank is asked (app/provider/ecb), SQL (db/billing_rates.go).
// May import: app/audit, app/billing, app/pricing, app/staff. Used by: app/provider/ecb, app/web/admin, cmd/hub, db. Proof: go test
// ./app/billing/rates
package rates
