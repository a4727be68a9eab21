// Package channel answers the pages of messaging channels: how each stands, who may write, the form of a mailbox, and the acts of
// owners, which the server carries out.
//
// Change here: what the pages read and which acts they offer. Not here: what channels do (agentd/channel), markup
// (views/portal/channel).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/channel
package channel
