// Package dns holds the rules about the names of servers: what may be a customer's own domain, which records a name needs, and
// what is wrong with those that are there.
//
// Change here: which domains are taken, which records are wanted, how found ones are judged. Not here: asking name servers
// (app/provider/dnslook), making records (app/provider/dnshost), when to do either (app/naming).
// May import: the standard library, golang.org/x/net. Used by: app/naming, app/order, app/provider/dnshost, app/provider/dnslook,
// app/provider/vpshost/setup, app/web/api, app/web/names, cmd/hub, db, jobs/provision. Proof: go test ./app/dns
package dns
