// Package signing reads what a script has signed for a form, and says what a signature is bound to.
//
// Change here: the fields of a signed form. Not here: what has to be signed (app/team, agentd/approver), how the script
// signs (static/js), the fields in the markup (views/portal).
// May import: agentd/wire, app/…, views/portal. Used by: app/web/portal/account, app/web/portal/channel, app/web/portal/chat,
// app/web/portal/credential, app/web/portal/file, app/web/portal/hook, app/web/portal/memory, app/web/portal/permission,
// app/web/portal/schedule, app/web/portal/support, app/web/portal/team. Proof: go test ./app/web/portal/...
package signing
