// Package portaltest serves a portal for tests: a real database, live traffic, a customer's server that answers what the
// test tells it to, and browsers that read pages and their streams.
//
// Change here: what tests of several sections need. Not here: what one section alone needs (its own tests).
// May import: everything of the hub. Used by: tests only. Proof: go test ./app/web/portal/...
package portaltest
