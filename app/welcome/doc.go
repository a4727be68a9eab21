// Package welcome offers a new customer three first tasks that suit their kind of business, and remembers which were done or
// dismissed. A task is a message that is prepared in the chat; only the customer sends it.
//
// Change here: which tasks there are and which agent each is for. Not here: their words (views/welcome), SQL (db/first_tasks.go).
// If you add a task, also change: a new migration, for the database knows them by name.
// May import: app/account, the standard library. Used by: app/web/portal, app/web/portal/chat,
// app/web/portal/home, app/web/public, cmd/hub, db.
// Proof: go test ./app/welcome ./app/web/portal/home
package welcome
