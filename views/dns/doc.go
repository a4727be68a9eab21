// Package dns is the markup of the name of an order's server: what to enter where, what is there now, what is wrong, when the hub
// looks next. The same parts stand on the customer's page of the order and in the console.
//
// Change here: how a name's records look. Not here: which are right (app/dns), what to do about them (app/naming).
// May import: views/…, templ. Used by: app/web/admin, app/web/names, views/admin, views/public.
// Proof: go test ./app/web/public ./app/web/admin
package dns
