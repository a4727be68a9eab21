// Package ecb asks the European Central Bank for its reference rates of the day: one small file of XML, without a key.
//
// Change here: how the file is fetched and read. Not here: when, and what becomes of a rate (app/billing/rates).
// May import: app/billing/rates, app/pricing. Used by: cmd/hub. Proof: go test ./app/provider/ecb
package ecb
