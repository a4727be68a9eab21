// Package year lives through a year of billing in seconds: customers with random usage, meters that report late, again and in disorder,
// plan changes, credit notes, founding members, prices and rates that are missing for a while, a payment provider that is away, cards
// that fail, direct debits that come back, disputes, orders that end unpaid, and hubs that are killed between any two steps. In the end
// it computes by itself, from what providers answered and from what was decided, what everybody should have been billed, and compares
// to the token and the cent.
//
// The world runs the hub's own services on a real Postgres. What they should come to is the ledger's arithmetic alone: it shares nothing
// with them.
//
// Change here: what happens in such a year, what it should come to. Not here: billing itself (app/billing), the stand-in of the payment
// provider (app/provider/stripepay/stripetest).
// May import: app, db, jobs, agentd/wire, agentd/seeded. Used by: nobody. Proof: go test ./cmd/hub/e2e/year
package year
