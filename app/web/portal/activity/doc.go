// Package activity answers the pages about what the team did: the list of runs, one run with its receipts, the evidence
// below an answer, and putting back what a write has replaced.
//
// Change here: what these pages read from the server. Not here: how receipts and steps are shown (app/web/portal/turn),
// markup (views/portal/activity).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/activity
package activity
