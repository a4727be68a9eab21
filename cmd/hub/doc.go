// Command hub is the central web application: portal, admin console, API, the links of servers, and the workers behind
// them.
//
// Change here: configuration, subcommands, how the parts are put together. Not here: what any part does.
// May import: everything of the hub. Proof: go test ./cmd/hub/...
package main
