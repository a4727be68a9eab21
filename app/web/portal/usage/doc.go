// Package usage answers the pages of what the team used: an overview of a day, week or month, and every hour, as a list and
// as a file.
//
// Change here: which time is shown and how it is narrowed. Not here: what is counted and read (app/usage), markup
// (views/portal/usage).
// May import: app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/usage
package usage
