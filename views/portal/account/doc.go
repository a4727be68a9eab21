// Package account holds the settings of the reader: time zone, sign-ins, API tokens and the devices that may approve.
//
// Change here: what these pages show. Not here: how a device signs (static/js), which key counts (agentd/approver).
// May import: views/portal, views/…. Used by: app/web/portal, app/web/public. Proof: go test ./app/web/portal/...
package account
