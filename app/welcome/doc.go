// Package welcome knows the kinds of business: for each, which agents suit it and what a new customer gets done within the first
// hour. It remembers what was done or dismissed. A win is a message that is prepared in the chat, or a schedule that is prepared on
// its form; only the customer sends it, and no agent joins a team without the owner's signature.
//
// Change here: business.yaml, which holds all kinds with their words, and what becomes of wins. Not here: the agents
// (agentd/team/templates), markup (views/welcome), SQL (db/first_tasks.go).
// May import: app/account, app/fault, gopkg.in/yaml.v3, the standard library. Used by: app/web/api, app/web/firsttask,
// app/web/portal, app/web/portal/chat, app/web/portal/home, app/web/portal/schedule, app/web/portal/team, app/web/public, cmd/hub, db.
// Proof: go test ./app/welcome ./app/web/portal/home ./app/web/portal/team
package welcome
