// Package support answers the pages on which the owner lets our staff look at content of the server for some hours, closes that
// again, and sees each look.
//
// Change here: how the pages read and answer forms. Not here: who may do what (app/support), what the server shows
// (agentd/support), markup (views/portal/support).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/support
package support
