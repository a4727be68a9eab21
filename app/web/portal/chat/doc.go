// Package chat answers the conversations with the team: pages, messages, Stop, and what the stream adds to an open
// conversation.
//
// Change here: how a message is sent, how an open page catches up. Not here: how events become a turn
// (app/web/portal/turn), how messages get to the server (app/chat), markup (views/portal/chat).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/chat
package chat
