// Package googlechat is the channel of Google Chat: an app of the business, whose events Google brings to an address at the hub, and which
// answers by the REST API as a service account.
//
// Who a sender is, Google says: the number of their account. Google signs each request for the project of the app; what is not signed, or
// for another project, is not read. Direct messages are private, everything else is a group, in which the app gets what names it.
//
// Google knows the repeat of a message by its request id, so one of which no answer came is sent again at once, and only when that does not
// help either is its outcome open.
//
// Change here: how events are proven and read, attachments are fetched and answers look, what Google's refusals mean. Not here: who may
// write, what becomes of a message, when it is sent (agentd/channel), how what Google brings gets here (app/hook).
// May import: agentd/channel, agentd/gate, agentd/tool, agentd/wire, golang-jwt/jwt, golang.org/x/oauth2. Used by: agentd.
// Proof: go test ./agentd/channel/googlechat
package googlechat
