// Package relay carries live traffic between pages and servers: questions to a server and their answers, notices to
// open pages, and who holds which link. It goes over NATS, in this process unless a cluster is named, so that a page
// at one hub talks to a server linked to another. Nothing here is kept: what must not be lost is in the database.
//
// Change here: subjects, deadlines, how slow readers are dropped. Not here: the websocket (app/web/agentlink), what
// travels (agentd/wire).
// May import: app/fault, agentd/wire, NATS. Used by: app/approval, app/chat, app/support, app/team, app/web/…, db, cmd/bench,
// cmd/hub.
// Proof: go test ./app/relay ./app/web/agentlink
package relay
