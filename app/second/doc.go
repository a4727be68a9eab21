// Package second holds the rules of the second step of signing in, for customers and for our staff: one-time codes of an
// app, and backup codes for when the app is lost.
//
// Change here: how long a code is good, how many may be wrong, what backup codes look like. Not here: who needs a second
// step (app/account, app/staff), the table that keeps it sealed (db).
// May import: app/fault, otp. Used by: app/account, app/staff, db. Proof: go test ./app/second
package second
