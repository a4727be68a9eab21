// Package whatsapp is the channel of WhatsApp: a number of the business at Meta's Cloud API, which brings messages to an address
// at the hub.
//
// Who a sender is, Meta says: their phone number. Meta signs what it brings with the secret of the app; what is not signed is not read.
// Meta is told that it was taken once it is durable here, and brings it again otherwise. When somebody has not written for a day, WhatsApp
// lets only a template pass, which Meta has read before: it cannot hold a request, so it leads to the portal.
//
// WhatsApp knows no repeat of a message. One of which no answer came is never sent again; but it carries a name of ours, and what Meta
// reports about it later says whether it went.
//
// Change here: how messages are read, media are fetched and answers look, what Meta's refusals mean. Not here: who may write, what becomes
// of a message, when it is sent (agentd/channel), how what Meta brings gets here (app/hook).
// May import: agentd/channel, agentd/gate, agentd/tool, agentd/vault/secret, agentd/wire. Used by: agentd.
// Proof: go test ./agentd/channel/whatsapp
package whatsapp
