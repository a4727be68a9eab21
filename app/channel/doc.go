// Package channel has a customer's server keep its messaging channels: all of it is kept there, and passwords pass the hub sealed.
// The hub learns to which addresses messengers bring messages for that server, as hashes.
//
// Change here: what may be asked of a server about channels. Not here: what channels do (agentd/channel), the pages
// (app/web/portal/channel), the API (app/web/api).
// May import: app/account, app/server, agentd/wire. Used by: app/web/portal, cmd/hub. Proof: go test ./app/web/portal/channel
package channel
