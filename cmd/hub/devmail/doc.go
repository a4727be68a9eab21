// Package devmail catches mail in development: an SMTP server on a free port of loopback that keeps what it gets as
// files, and pages to read it; and the mailbox of the demo's team, with a form to write to it. It exists in `hub dev` only.
//
// Change here: what is kept and how it is shown. Not here: how mail is sent (app/provider/mailer, agentd/tools).
// May import: views/…, app/web. Used by: cmd/hub, cmd/bench. Proof: go test ./cmd/hub/devmail
package devmail
