// Package account answers the reader's settings: time zone, API tokens, notifications and the devices that may
// approve.
//
// Change here: what the settings offer. Not here: accounts and tokens (app/account), which key counts (app/approver), what
// devices are told (app/push), markup
// (views/portal/account).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/account
package account
