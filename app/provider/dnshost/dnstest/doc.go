// Package dnstest runs name servers for tests: two real PowerDNS servers with their HTTP API on loopback, and a server that speaks
// Cloudflare's published API with its errors.
//
// Change here: how these are started and what they are told. Not here: what the hub asks of them (app/provider/dnshost,
// app/provider/dnslook).
// May import: the standard library, github.com/google/uuid, modernc.org/sqlite. Used by: tests only.
// Proof: go test ./app/provider/dnshost ./app/provider/dnslook
package dnstest
