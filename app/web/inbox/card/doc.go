// Package card turns an approval into what its card shows: arguments by name, measured facts, a diff with line numbers,
// the decision and the execution apart.
//
// Change here: which fact of an approval goes where. Not here: how the card looks (views/inbox), what may be answered
// (app/approval).
// May import: agentd/policy/canonical, agentd/wire, app/approval, views/inbox. Used by: app/web/inbox, app/web/portal,
// app/web/portal/turn, cmd/hub.
// Proof: go test ./app/web/inbox/card
package card
