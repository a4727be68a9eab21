// Package dnshost makes the records of servers' names at the providers of name servers: Cloudflare and PowerDNS, each through its
// library.
//
// Change here: how a provider is asked, what its refusals mean, what is ours to take away again. Not here: which records a name
// needs (app/dns), whether they answer (app/provider/dnslook).
// May import: app/dns, github.com/joeig/go-powerdns, github.com/libdns. Used by: app/naming, cmd/hub.
// Proof: go test ./app/provider/dnshost
package dnshost
