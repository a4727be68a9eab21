// Package approval holds the rules for asking a person before an agent acts: what may be answered, by whom, until
// when, and what is left of a question once it is answered (nothing that shows its contents).
//
// Change here: states, verbs, windows, who may decide, the inbox. Not here: pages (app/web/inbox), SQL
// (db/approvals.go), what a server does with a decision (agentd/gate): the server decides last and alone.
// May import: app/account, app/audit, app/fault, app/page, app/relay, app/server, app/staff, app/tune, agentd/wire. Used by: app,
// cmd/bench, cmd/hub, db, jobs. If you change a state, also change: migrations, agentd/wire. Proof: go test
// ./app/approval ./db
// ./app/web/agentlink
package approval
