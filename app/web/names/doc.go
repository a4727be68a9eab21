// Package names turns what is known of the name of an order's server into what pages show.
//
// Change here: which facts a page gets. Not here: how they look (views/dns), the rules (app/naming).
// May import: app/dns, app/naming, views/dns. Used by: app/web/admin, app/web/public. Proof: go test ./app/web/public ./app/web/admin
package names
