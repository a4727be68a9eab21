// Package certificate gets the certificate of the server's own name from a certificate authority that speaks ACME (RFC 8555), and
// renews it when a third of its life is left. The authority is shown the name by a file that the web server hands out (HTTP-01).
//
// Change here: when a certificate is due, and what is asked of the authority. Not here: when that is looked at (agentd/units), what the
// web server does with it (app/provider/vpshost/setup).
// May import: golang.org/x/crypto/acme. Used by: cmd/agentd. Proof: go test ./agentd/certificate
package certificate
