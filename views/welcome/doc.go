// Package welcome is the markup of the first tasks that a new customer is offered, and their words: the order page shows them
// when the server is ready, the portal until they are done or dismissed.
//
// Change here: how tasks look, what their messages say. Not here: which there are (app/welcome).
// May import: views/…. Used by: app/web/portal/chat, app/web/portal/home, app/web/public, views/portal/home, views/public.
// Proof: go test ./app/web/portal/home ./agentd/llm/rehearsal
package welcome
