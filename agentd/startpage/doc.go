// Package startpage is the first application of a server: a page under the server's own name that says that it is ready. It runs in a
// container without a network, and is reached by a unix socket.
//
// Change here: what the page says. Not here: how the container is started (app/provider/vpshost/setup).
// May import: the standard library. Used by: cmd/agentd. Proof: go test ./agentd/startpage
package startpage
