// Package dnslook asks name servers: it finds those that are authoritative for a name and asks each of them, so that an answer that
// somebody remembers on the way does not count.
//
// Change here: how zones and servers are found, how long one waits, UDP and TCP. Not here: what the answers mean (app/dns), when
// to ask (app/naming).
// May import: app/dns, app/tune, github.com/miekg/dns. Used by: cmd/hub. Proof: go test ./app/provider/dnslook
package dnslook
