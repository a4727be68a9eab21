// Package chat holds the page of a conversation, the fragments that the stream adds to it, and the list of all
// conversations.
//
// Change here: what stands around the turns and how a turn gets onto the page. Not here: what a turn looks like
// (views/ui), how events become one (app/web/portal/turn).
// May import: views/portal, views/…. Used by: app/web/portal, app/web/portal/turn. Proof: go test ./app/web/portal/...
package chat
