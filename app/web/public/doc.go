// Package public answers what needs no sign-in: the landing pages, checkout, signing in and out for customers and for
// staff, mailed links, and the progress of a fresh order.
//
// Change here: these routes and what they ask the services. Not here: how pages look (views/public), what makes a
// password or an order right (app/account, app/order), cookies (app/web/session).
// May import: agentd/wire, app/…, app/web, app/web/session, views/public. Used by: cmd/hub. Proof: go test ./app/web/public
package public
