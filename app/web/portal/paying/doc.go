// Package paying answers what a customer does about payments: on to the page where an invoice is paid or the card is changed, and back.
//
// Change here: where browsers are sent. Not here: when money is taken (app/payment), the page of billing (app/web/portal/billing).
// May import: app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/paying
package paying
