// Package account holds the rules about customers and their people: sign-up, sign-in, proof of an e-mail address,
// forgotten passwords, and tokens for the API.
//
// Change here: what a password, an address or a name must be, how long links live, what a token may do. Not here:
// browser sign-ins (app/signin), orders (app/order), SQL (db), letters (views/mail).
// May import: app/audit, app/fault, app/recent, app/second, app/tune, app/work, the standard library, argon2id. Used by: app, cmd/bench,
// cmd/hub, db, jobs, jobs/provision. Proof: go test ./app/account ./db
package account
