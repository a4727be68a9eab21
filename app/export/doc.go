// Package export has a customer's server make the archive of the customer's data, and passes it on in stretches. Nothing of it
// is kept at the hub.
//
// Change here: what may be asked of a server about archives. Not here: what they hold (agentd/export), the page and the
// download (app/web/portal/account).
// May import: app/account, app/server, agentd/wire. Used by: app/web/portal, cmd/hub.
// Proof: go test ./app/web/portal/account ./cmd/hub/e2e/story
package export
