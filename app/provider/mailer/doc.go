// Package mailer sends letters over SMTP.
//
// Change here: how a letter is put into a message and handed over. Not here: what letters say (views/mail), when they
// are sent (jobs).
// May import: go-mail. Used by: jobs, cmd/hub. Proof: go test ./app/provider/mailer
package mailer
