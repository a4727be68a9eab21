// Package turn folds the events of one root run into what its bubble shows, and says which pieces of the page changed
// since the last look. It is pure: events in, fragments out; nothing here waits, asks or knows a clock.
//
// The same events give the same bubble however they arrive: piece by piece, twice, or after a gap as a whole.
//
// Change here: what an event does to the bubble, how small the pushed pieces are. Not here: where events come from
// (app/web/portal/chat), what the pieces look like (views/portal).
// May import: agentd/wire, app/web/markdown, app/web/inbox/card, views. Used by: app/web/portal/activity, app/web/portal/chat,
// app/web/portal/home, app/web/portal/team.
// If you change an id, also change: views/portal. Proof: go test ./app/web/portal/turn
package turn
