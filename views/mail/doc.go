// Package mail is what the hub writes to people: subject, HTML and plain text of each letter, with the same words.
//
// The HTML uses tables and plain attributes and no style sheet: mail programs agree on these, and the letters can be
// shown under the pages' content policy.
//
// Change here: letters. Not here: when one is sent (jobs), how it travels (app/provider/mailer), words
// (views/i18n/en/mail.json). May import: views/… only. Used by: app/web/admin, cmd/hub. Proof: go test ./views/mail
package mail
